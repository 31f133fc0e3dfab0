#include "dataplane/worker/sender_set.h"

#include <algorithm>
#include <limits>

#include "dataplane/wakeup/idle_policy.h"

namespace wakegate {
namespace {

constexpr uint32_t kNoSender = std::numeric_limits<uint32_t>::max();

}  // namespace

SenderSet::SenderSet(uint32_t ready_bits, Tsc blocked_retry)
    : blocked_retry_(blocked_retry), sender_of_bit_(ready_bits, kNoSender) {}

void SenderSet::Adopt(const Plan& plan) {
  senders_ = plan.senders.data();
  states_.assign(plan.senders.size(), State{});
  active_.clear();
  active_.reserve(plan.senders.size());
  std::fill(sender_of_bit_.begin(), sender_of_bit_.end(), kNoSender);
  for (uint32_t sender = 0; sender < plan.senders.size(); ++sender) {
    sender_of_bit_[senders_[sender].ready_bit] = sender;
    Activate(sender);
  }
}

void SenderSet::Activate(uint32_t sender) {
  State& state = states_[sender];
  if (state.active) return;
  state = {.active = true, .due = 0, .result = {}};
  active_.push_back(sender);
}

void SenderSet::Send(uint32_t sender, Batch& batch, Tsc now) {
  senders_[sender].queue.Send(batch, now);
  Activate(sender);
  // More packets may make a full batch: ask the queue again. A peer without room is left alone.
  if (states_[sender].result.state != TxResult::State::kBlocked) states_[sender].due = now;
}

bool SenderSet::TakeOver(ReadyBitmap& ready, Tsc now) {
  bool worked = false;
  ready.TakeAll([&](uint32_t bit) {
    const uint32_t sender = sender_of_bit_[bit];
    if (sender == kNoSender) return;
    bool more = false;
    for (HandoffRing* ring : senders_[sender].inbound) {
      worked |= TakeOver(sender, *ring, now);
      more |= !ring->empty();
    }
    if (more) ready.Set(bit);
  });
  return worked;
}

bool SenderSet::TakeOver(uint32_t sender, HandoffRing& ring, Tsc now) {
  Batch batch;
  batch.set_size(ring.Take({batch.data(), kMaxBurst}));
  if (batch.empty()) return false;
  senders_[sender].ledger->counters[ledger::TxCounter::kTakenOver].Add(batch.size());
  Send(sender, batch, now);
  return true;
}

void SenderSet::Flush(Tsc now) {
  for (uint32_t i = 0; i < active_.size();) {
    State& state = states_[active_[i]];
    if (state.due > now) {
      ++i;
      continue;
    }
    state.result = senders_[active_[i]].queue.Flush(now);
    switch (state.result.state) {
      case TxResult::State::kIdle:
        state.active = false;
        active_[i] = active_.back();
        active_.pop_back();
        continue;
      case TxResult::State::kAt:
        state.due = state.result.at;
        break;
      case TxResult::State::kBlocked:
        state.due = now + blocked_retry_;
        break;
    }
    ++i;
  }
}

Tsc SenderSet::NextDeadline() const {
  Tsc deadline = IdlePolicy::kNoDeadline;
  for (const uint32_t sender : active_) {
    if (states_[sender].result.state == TxResult::State::kBlocked) continue;
    deadline = std::min(deadline, states_[sender].due);
  }
  return deadline;
}

}  // namespace wakegate
