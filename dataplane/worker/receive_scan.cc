#include "dataplane/worker/receive_scan.h"

#include <algorithm>
#include <optional>

namespace wakegate {

using ledger::RxCounter;
using ledger::WakeCause;

void ReceiveScan::Adopt(const Plan& plan) {
  DisarmAll();
  receivers_ = plan.receivers.data();
  words_.clear();
  scanned_.clear();
  lively_ = quiet_ = 0;
  used_triggers_.clear();
  states_.assign(plan.receivers.size(), QueueState());
  scanned_.reserve(plan.receivers.size());
  for (uint32_t i = 0; i < plan.receivers.size(); ++i) {
    const std::optional<ReadyWord> ready = receivers_[i].queue.ready_word();
    if (ready) {
      words_.push_back({.ready = *ready, .receiver = i, .counted_turn = turn_});
      states_[i].worded = true;
      continue;
    }
    scanned_.push_back(i);
    Trigger* trigger = triggers_.Get(receivers_[i].trigger);
    if (trigger == nullptr) continue;
    states_[i].trigger = trigger;
    states_[i].empty_looks_before_arming = trigger->empty_looks_before_arming();
    if (std::ranges::none_of(used_triggers_, [trigger](const UsedTrigger& used) {
          return used.trigger == trigger;
        })) {
      used_triggers_.push_back({trigger, trigger->turns_between_looks() - 1});
    }
  }
}

// A plan may close files: nothing watches them any more.
void ReceiveScan::DisarmAll() {
  for (uint32_t i = 0; i < states_.size(); ++i) {
    if (!states_[i].parked) continue;
    CountIdleTurns(i, states_[i].counted_turn, 0);
    if (receivers_[i].trigger != TriggerKind::kUring) {
      states_[i].trigger->Disarm(i, *receivers_[i].ledger);
    }
  }
  parked_count_ = 0;
  if (triggers_.ring() != nullptr) triggers_.ring()->CancelAll();
}

void ReceiveScan::QuietenIdle() {
  for (uint32_t i = 0; i < lively_;) {
    if (std::exchange(words_[i].lively, false)) {
      ++i;
    } else {
      std::swap(words_[i], words_[--lively_]);
    }
  }
}

bool ReceiveScan::Park(uint32_t receiver) {
  const Receiver& parked = receivers_[receiver];
  states_[receiver].empty_looks = 0;
  if (!states_[receiver].trigger->Arm(receiver, parked.queue.wait_fd(), *parked.ledger)) {
    parked.ledger->counters[RxCounter::kArmRaces].Add(1);
    return false;
  }
  SetParked(receiver);
  return true;
}

void ReceiveScan::SetParked(uint32_t receiver) {
  QueueState& state = states_[receiver];
  receivers_[receiver].ledger->counters[RxCounter::kArms].Add(1);
  state.parked = true;
  state.empty_looks = 0;
  state.counted_turn = turn_;
  ++parked_count_;
  *std::ranges::find(scanned_, receiver) = scanned_.back();
  scanned_.pop_back();
}

void ReceiveScan::Unpark(uint32_t receiver) {
  QueueState& state = states_[receiver];
  // A watch of the sleeping worker may fire for a queue that is in the scan.
  if (!state.parked) return;
  CountIdleTurns(receiver, state.counted_turn, 0);
  state.parked = false;
  state.woken = true;
  --parked_count_;
  scanned_.push_back(receiver);
}

bool ReceiveScan::LookAtTriggers(bool all) {
  bool fired = false;
  for (const UsedTrigger& used : used_triggers_) {
    if (!MayHaveFired(used, all)) continue;
    used.trigger->TakeFired([&](uint32_t slot) {
      if (slot >= states_.size()) return;
      Unpark(slot);
      fired = true;
    });
  }
  return fired;
}

void ReceiveScan::WatchedByRing(uint32_t receiver) {
  if (receivers_[receiver].trigger != TriggerKind::kUring) return;
  const QueueState& state = states_[receiver];
  if (state.trigger != nullptr && !state.parked) SetParked(receiver);
}

void ReceiveScan::Fired(uint32_t receiver) {
  QueueState& state = states_[receiver];
  if (state.worded) {
    // The word tells the rest.
    LookAtAll();
    receivers_[receiver].ledger->wakes[WakeCause::kPacket].Add(1);
    return;
  }
  if (state.parked && receivers_[receiver].trigger != TriggerKind::kUring) {
    state.trigger->Disarm(receiver, *receivers_[receiver].ledger);
  }
  Unpark(receiver);
  state.woken = true;
}

void ReceiveScan::CountWake(uint32_t receiver, bool found) {
  states_[receiver].woken = false;
  receivers_[receiver].ledger->wakes[found ? WakeCause::kPacket : WakeCause::kSpurious].Add(1);
}

void ReceiveScan::CountAllIdleTurns() {
  for (Word& word : words_) CountIdleTurns(word.receiver, word.counted_turn, 0);
  for (uint32_t i = 0; parked_count_ != 0 && i < states_.size(); ++i) {
    if (states_[i].parked) CountIdleTurns(i, states_[i].counted_turn, 0);
  }
}

}  // namespace wakegate
