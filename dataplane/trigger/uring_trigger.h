// Idle queues watched by io_uring.
#ifndef DATAPLANE_TRIGGER_URING_TRIGGER_H_
#define DATAPLANE_TRIGGER_URING_TRIGGER_H_

#include "dataplane/trigger/poll_ring.h"
#include "dataplane/trigger/trigger.h"

namespace wakegate {

// A poll is added while its queue is idle, at the price of a system call, and costs nothing more
// until a packet comes: no signal, no interrupt of the worker, a bit in memory.
class UringTrigger final : public Trigger {
 public:
  // `ring` outlives the trigger, and may watch other slots too. `ledger`: the worker's.
  UringTrigger(PollRing& ring, ledger::WorkerBlock& ledger);

  bool Arm(uint32_t slot, int fd, ledger::RxQueueBlock& ledger) override;
  void Disarm(uint32_t slot, ledger::RxQueueBlock& ledger) override;
  void TakeFired(absl::FunctionRef<void(uint32_t)> visit) override;
  uint32_t empty_looks_before_arming() const override { return 4; }

 private:
  PollRing& ring_;
  ledger::WorkerBlock& ledger_;
};

}  // namespace wakegate

#endif  // DATAPLANE_TRIGGER_URING_TRIGGER_H_
