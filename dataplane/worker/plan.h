// What a worker runs: the queues that it polls and owns, and where packets go.
#ifndef DATAPLANE_WORKER_PLAN_H_
#define DATAPLANE_WORKER_PLAN_H_

#include <cstdint>
#include <vector>

#include "dataplane/forwarding/destination.h"
#include "dataplane/trigger/trigger.h"
#include "dataplane/wakeup/any_queue.h"
#include "dataplane/wakeup/idle_policy.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// A receive queue that the worker polls.
struct Receiver {
  AnyRxQueue queue;
  ledger::RxQueueBlock* ledger;
  uint32_t burst_size;
  // Of a queue that has no ready word: what tells that it is no longer idle.
  TriggerKind trigger;
  Destination destination;
};

// A transmit queue that the worker owns.
struct Sender {
  AnyTxQueue queue;
  ledger::TxQueueBlock* ledger;
  uint32_t ready_bit;                 // Of the owner's bitmap: an inbound ring may have packets.
  std::vector<HandoffRing*> inbound;  // Of the other workers that send to it.
};

// Made by control, then read by one worker, until control has seen it take up the next one. All
// that it points to lives longer.
struct Plan {
  uint64_t serial = 0;  // Given by Worker::Publish; no two plans of a worker have the same.
  IdleSettings idle;
  // Whether calls to the kernel share one io_uring_enter where a queue has several to make.
  bool batches_calls = false;
  bool sleepless = false;  // A receiver cannot wake the worker.
  std::vector<Receiver> receivers;
  std::vector<Sender> senders;

  bool empty() const { return receivers.empty() && senders.empty(); }
};

}  // namespace wakegate

#endif  // DATAPLANE_WORKER_PLAN_H_
