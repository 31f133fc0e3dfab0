// Receives what the other end of the cable sends.
#ifndef DATAPLANE_PORTS_MEMORY_RX_QUEUE_H_
#define DATAPLANE_PORTS_MEMORY_RX_QUEUE_H_

#include "dataplane/packet/batch.h"
#include "dataplane/ports/memory/ring.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// An RxQueue (queue_concepts.h).
class MemoryRxQueue {
 public:
  MemoryRxQueue(MemoryRing& ring, ledger::RxQueueBlock& ledger) : ring_(ring), ledger_(ledger) {}

  RxResult Receive(Batch& out);
  bool Arm();
  void Disarm();
  int wait_fd() { return ring_.packets_bell().fd(); }
  ReadyWord ready_word() const { return ring_.ready_word(); }

 private:
  MemoryRing& ring_;
  ledger::RxQueueBlock& ledger_;
};
static_assert(RxQueue<MemoryRxQueue>);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_MEMORY_RX_QUEUE_H_
