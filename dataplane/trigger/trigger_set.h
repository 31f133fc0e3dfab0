// The triggers that a worker has.
#ifndef DATAPLANE_TRIGGER_TRIGGER_SET_H_
#define DATAPLANE_TRIGGER_TRIGGER_SET_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "dataplane/trigger/poll_ring.h"
#include "dataplane/trigger/trigger.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// All functions, the constructor and the destructor: the worker's thread.
class TriggerSet {
 public:
  // `ledger`: the worker's.
  TriggerSet(uint32_t slots, ledger::WorkerBlock& ledger);

  // Null where the kernel does not let us have one; ring_status says why.
  PollRing* ring() { return ring_.get(); }
  const absl::Status& ring_status() const { return ring_status_; }

  // Made at the first call. Null for kNone, and where it cannot be had.
  Trigger* Get(TriggerKind kind);

 private:
  const uint32_t slots_;
  ledger::WorkerBlock& ledger_;
  absl::Status ring_status_;
  std::unique_ptr<PollRing> ring_;
  std::unique_ptr<Trigger> uring_;
  std::unique_ptr<Trigger> signal_;
  std::unique_ptr<Trigger> epoll_;
};

}  // namespace wakegate

#endif  // DATAPLANE_TRIGGER_TRIGGER_SET_H_
