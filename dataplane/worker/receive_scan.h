// Which receive queues to look into: idle queues leave the scan.
#ifndef DATAPLANE_WORKER_RECEIVE_SCAN_H_
#define DATAPLANE_WORKER_RECEIVE_SCAN_H_

#include <cstdint>
#include <vector>

#include "dataplane/wakeup/ready_word.h"
#include "dataplane/worker/plan.h"

namespace wakegate {

// One worker. A queue with a ready word costs one load and one compare while it is idle; the words
// stand in a packed array. The others are looked into in each turn.
class ReceiveScan {
 public:
  // Takes up the receivers of a plan, which outlives its use here.
  void Adopt(const Plan& plan);

  // One turn. Calls `process(const Receiver&, Batch&)` with what each ready queue has. Says whether
  // there was anything.
  template <class Process>
  bool Run(Process&& process) {
    ++turn_;
    bool worked = false;
    all_drained_ = true;
    for (Word& word : words_) {
      if (!word.ready.IsReady()) continue;
      worked |= Look(receivers_[word.receiver], process);
      CountIdleTurns(word, 1);
      word.ready = *receivers_[word.receiver].queue.ready_word();
    }
    for (const uint32_t receiver : unworded_) worked |= Look(receivers_[receiver], process);
    if (turn_ % kTurnsBetweenCounts == 0) CountAllIdleTurns();
    return worked;
  }

  // Whether the last turn left no queue with packets that it knows of: it may sleep.
  bool all_drained() const { return all_drained_; }

  // Brings the counters of queues that were answered from memory up to date.
  void CountAllIdleTurns();

 private:
  // How far polls_from_memory may lag behind, in turns: a store for each turn would cost more than
  // the look itself.
  static constexpr uint64_t kTurnsBetweenCounts = 1024;

  struct Word {
    ReadyWord ready;
    uint32_t receiver;
    uint64_t counted_turn;  // Up to which turn polls_from_memory is right.
  };

  template <class Process>
  bool Look(const Receiver& receiver, Process& process) {
    Batch batch(receiver.burst_size);
    if (receiver.queue.Receive(batch) != RxResult::kDrained) all_drained_ = false;
    if (batch.empty()) return false;
    process(receiver, batch);
    return true;
  }
  // `looked`: how many of the turns since then looked into the queue itself.
  void CountIdleTurns(Word& word, uint64_t looked) {
    receivers_[word.receiver].ledger->counters[ledger::RxCounter::kPollsFromMemory].Add(
        turn_ - word.counted_turn - looked);
    word.counted_turn = turn_;
  }

  const Receiver* receivers_ = nullptr;
  std::vector<Word> words_;
  std::vector<uint32_t> unworded_;
  uint64_t turn_ = 0;
  bool all_drained_ = true;
};

}  // namespace wakegate

#endif  // DATAPLANE_WORKER_RECEIVE_SCAN_H_
