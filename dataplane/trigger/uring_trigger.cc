#include "dataplane/trigger/uring_trigger.h"

namespace wakegate {

using ledger::SystemCall;

UringTrigger::UringTrigger(PollRing& ring, ledger::WorkerBlock& ledger)
    : ring_(ring), ledger_(ledger) {
  flags_ = ring.flags();
  flag_mask_ = PollRing::kFlagMask;
  tail_ = ring.tail();
  tail_seen_ = ring.tail_seen();
}

bool UringTrigger::Arm(uint32_t slot, int fd, ledger::RxQueueBlock& ledger) {
  ledger.system_calls[SystemCall::kIoUringEnter].Add(1);
  // It may be watched still, since the worker slept.
  if (!ring_.IsWatched(slot)) ring_.Prepare(slot, fd);
  // A poll of a file that is readable completes at once, without the flag, but it moves the tail.
  ring_.Submit();
  return true;
}

void UringTrigger::Disarm(uint32_t slot, ledger::RxQueueBlock& ledger) {
  ledger.system_calls[SystemCall::kIoUringEnter].Add(1);
  ring_.Cancel(slot);
}

void UringTrigger::TakeFired(absl::FunctionRef<void(uint32_t)> visit) {
  const uint64_t calls = ring_.system_calls();
  ring_.TakeFired(visit);
  tail_seen_ = ring_.tail_seen();
  ledger_.system_calls[SystemCall::kIoUringEnter].Add(ring_.system_calls() - calls);
}

}  // namespace wakegate
