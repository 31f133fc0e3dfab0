// Which receive queues to look into: idle queues leave the scan.
#ifndef DATAPLANE_WORKER_RECEIVE_SCAN_H_
#define DATAPLANE_WORKER_RECEIVE_SCAN_H_

#include <rte_cycles.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "dataplane/trigger/trigger_set.h"
#include "dataplane/wakeup/ready_word.h"
#include "dataplane/worker/plan.h"

namespace wakegate {

// One worker. A queue with a ready word costs one load and one compare while it is idle; the words
// stand in a packed array, those that had packets lately first. Of the quiet ones behind them a
// turn looks at kQuietLooks, the next turn at the next: 64 idle ports cost no more than 16. Of the
// others, one with a trigger leaves the scan after a few empty looks and comes back when its
// trigger fires: all of them together cost the load of what tells that one has fired. A queue
// without either is looked into in each turn.
class ReceiveScan {
 public:
  explicit ReceiveScan(TriggerSet& triggers) : triggers_(triggers) {}

  // Takes up the receivers of a plan, which outlives its use here. The plan before is still there.
  void Adopt(const Plan& plan);

  // One turn, which starts `now`. Calls `process(const Receiver&, Batch&)` with what each ready
  // queue has. Says whether there was anything.
  template <class Process>
  bool Run(Tsc now, Process&& process) {
    ++turn_;
    stamp_ = now;
    all_drained_ = true;
    const bool all = std::exchange(look_at_all_, false);
    if (parked_count_ != 0 && MayHaveFired(all)) LookAtTriggers(all);
    bool worked = !words_.empty() && LookAtWords(all, process);
    for (uint32_t i = 0; i < scanned_.size();) {
      const uint32_t receiver = scanned_[i];
      const Seen seen = Look(receivers_[receiver], process);
      worked |= seen.found;
      if (!ParkIfIdle(receiver, seen)) ++i;  // Else the last one is at its place.
    }
    if (turn_ % kTurnsBetweenCounts == 0) {
      CountAllIdleTurns();
      QuietenIdle();
    }
    return worked;
  }

  // Whether the last turn left no queue with packets that it knows of: it may sleep.
  bool all_drained() const { return all_drained_; }

  // The next turn looks at all words, and asks all triggers: a queue has packets, or the turn comes
  // after a long time.
  void LookAtAll() { look_at_all_ = true; }
  // For the worker that is about to sleep, and watches this receiver with triggers_.ring() from now
  // on in any case: that is as good as its trigger, where that is the ring's.
  void WatchedByRing(uint32_t receiver);
  // A watch of this receiver has fired while the worker slept.
  void Fired(uint32_t receiver);
  // Takes those back into the scan whose triggers have fired. Says whether there were any. `all`:
  // asks those too whose turn it is not.
  bool LookAtTriggers(bool all = false);

  // Brings the counters of queues that were answered from memory up to date.
  void CountAllIdleTurns();

 private:
  // How far polls_from_memory may lag behind, in turns: a store for each turn would cost more than
  // the look itself.
  static constexpr uint64_t kTurnsBetweenCounts = 1024;
  // The status words of packet rings are all at the start of a page and so compete for the same 8
  // lines of the first-level cache: more than a few cost 3 ns each.
  static constexpr uint32_t kQuietLooks = 16;

  struct Word {
    ReadyWord ready;
    uint32_t receiver;
    uint64_t counted_turn;  // Up to which turn polls_from_memory is right.
    bool lively = true;     // Was ready since the last QuietenIdle.
  };
  // What a receiver is at.
  struct QueueState {
    bool worded = false;         // Has a ready word: the rest is not used.
    Trigger* trigger = nullptr;  // Null: always in the scan.
    uint32_t empty_looks_before_arming = 0;
    uint32_t empty_looks = 0;   // In a row.
    bool parked = false;        // Out of the scan; its trigger is armed.
    bool woken = false;         // Back in the scan, not looked into since.
    uint64_t counted_turn = 0;  // While parked: as in Word.
  };
  struct UsedTrigger {
    Trigger* trigger;
    uint64_t turn_mask;  // Looked at in turns that have none of these bits.
  };
  // What a look has come to.
  struct Seen {
    bool found;
    bool drained;
  };

  // Whether one had packets.
  template <class Process>
  bool LookAtWords(bool all, Process& process) {
    bool worked = false;
    for (uint32_t i = 0; i < lively_; ++i) worked |= LookAtWord(words_[i], process);
    const uint32_t quiet_end = NextQuiet(all);
    for (uint32_t i = quiet_; i < quiet_end; ++i) {
      if (!LookAtWord(words_[i], process)) continue;
      worked = true;
      std::swap(words_[i], words_[lively_++]);
    }
    quiet_ = quiet_end;
    return worked;
  }
  // Whether it had packets.
  template <class Process>
  bool LookAtWord(Word& word, Process& process) {
    if (!word.ready.IsReady()) return false;
    const bool found = Look(receivers_[word.receiver], process).found;
    CountIdleTurns(word.receiver, word.counted_turn, 1);
    word.ready = *receivers_[word.receiver].queue.ready_word();
    word.lively = true;
    return found;
  }
  // Which quiet words this turn looks at: from quiet_ to the one returned.
  uint32_t NextQuiet(bool all) {
    const auto words = static_cast<uint32_t>(words_.size());
    if (all || quiet_ < lively_ || quiet_ >= words) quiet_ = lively_;
    return all ? words : std::min(quiet_ + kQuietLooks, words);
  }
  // Puts those that were not ready lately behind the lively ones.
  void QuietenIdle();
  template <class Process>
  Seen Look(const Receiver& receiver, Process& process) {
    Batch batch(receiver.burst_size);
    const bool drained = receiver.queue.Receive(batch) == RxResult::kDrained;
    all_drained_ &= drained;
    if (batch.empty()) return {.found = false, .drained = drained};
    process(receiver, batch);
    const Tsc end = rte_rdtsc();
    receiver.ledger->counters[ledger::RxCounter::kBusyCycles].Add(end - stamp_);
    stamp_ = end;
    return {.found = true, .drained = drained};
  }
  // Whether it has left the scan.
  bool ParkIfIdle(uint32_t receiver, Seen seen) {
    QueueState& state = states_[receiver];
    if (state.woken) CountWake(receiver, seen.found);
    if (seen.found || !seen.drained) {
      state.empty_looks = 0;
      return false;
    }
    if (state.trigger == nullptr || ++state.empty_looks < state.empty_looks_before_arming) {
      return false;
    }
    return Park(receiver);
  }
  // In nearly all turns nothing has.
  bool MayHaveFired(bool all) const {
    return std::ranges::any_of(
        used_triggers_, [this, all](const UsedTrigger& used) { return MayHaveFired(used, all); });
  }
  bool MayHaveFired(const UsedTrigger& used, bool all) const {
    return (all || (turn_ & used.turn_mask) == 0) && used.trigger->MayHaveFired();
  }
  bool Park(uint32_t receiver);
  void SetParked(uint32_t receiver);
  void Unpark(uint32_t receiver);
  void DisarmAll();
  void CountWake(uint32_t receiver, bool found);
  // `looked`: how many of the turns since then looked into the queue itself.
  void CountIdleTurns(uint32_t receiver, uint64_t& counted_turn, uint64_t looked) {
    receivers_[receiver].ledger->counters[ledger::RxCounter::kPollsFromMemory].Add(
        turn_ - counted_turn - looked);
    counted_turn = turn_;
  }

  TriggerSet& triggers_;
  const Receiver* receivers_ = nullptr;
  std::vector<Word> words_;
  uint32_t lively_ = 0;  // How many of them are.
  uint32_t quiet_ = 0;   // The quiet one to look at next.
  bool look_at_all_ = false;
  std::vector<QueueState> states_;  // As receivers_.
  std::vector<uint32_t> scanned_;   // Receivers without a word that are looked into.
  uint32_t parked_count_ = 0;
  std::vector<UsedTrigger> used_triggers_;
  uint64_t turn_ = 0;
  Tsc stamp_ = 0;  // Up to when the cycles of this turn are accounted for.
  bool all_drained_ = true;
};

}  // namespace wakegate

#endif  // DATAPLANE_WORKER_RECEIVE_SCAN_H_
