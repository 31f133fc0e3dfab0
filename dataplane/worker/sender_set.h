// The transmit queues that a worker owns: what was sent on which, and what is still to flush.
#ifndef DATAPLANE_WORKER_SENDER_SET_H_
#define DATAPLANE_WORKER_SENDER_SET_H_

#include <cstdint>
#include <vector>

#include "dataplane/wakeup/ready_bitmap.h"
#include "dataplane/worker/plan.h"

namespace wakegate {

// One worker. A queue that holds nothing costs nothing: only those in use are visited.
class SenderSet {
 public:
  // `ready_bits`: how many bits the owner's bitmap has. `blocked_retry`: how long a queue whose
  // peer has no room is left alone before it is tried again.
  SenderSet(uint32_t ready_bits, Tsc blocked_retry);

  // Takes up the senders of a plan, which outlives its use here. Each is flushed once: it may hold
  // packets from the plan before.
  void Adopt(const Plan& plan);

  // Sends on senders[sender]; empties the batch.
  void Send(uint32_t sender, Batch& batch, Tsc now);
  // Takes packets over that other workers have handed to this one: up to a burst of each ring whose
  // bit is set. Says whether there were any.
  bool TakeOver(ReadyBitmap& ready, Tsc now);
  // Flushes the queues that hold something and are due.
  void Flush(Tsc now);

  // When the next held packet is due; IdlePolicy::kNoDeadline where none is.
  Tsc NextDeadline() const;
  // Calls `visit(uint32_t, const Sender&)` for each whose peer has no room.
  template <class Visitor>
  void VisitBlocked(Visitor&& visit) const {
    for (const uint32_t sender : active_) {
      if (states_[sender].result.state == TxResult::State::kBlocked)
        visit(sender, senders_[sender]);
    }
  }

 private:
  struct State {
    bool active = false;
    Tsc due = 0;  // When to flush next.
    TxResult result;
  };
  void Activate(uint32_t sender);
  bool TakeOver(uint32_t sender, HandoffRing& ring, Tsc now);

  const Tsc blocked_retry_;
  std::vector<uint32_t> sender_of_bit_;
  const Sender* senders_ = nullptr;
  std::vector<State> states_;     // As senders_.
  std::vector<uint32_t> active_;  // Senders whose state is active.
};

}  // namespace wakegate

#endif  // DATAPLANE_WORKER_SENDER_SET_H_
