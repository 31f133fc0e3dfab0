// Sends to the other end of the cable.
#ifndef DATAPLANE_PORTS_MEMORY_TX_QUEUE_H_
#define DATAPLANE_PORTS_MEMORY_TX_QUEUE_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "dataplane/packet/batch.h"
#include "dataplane/ports/memory/ring.h"
#include "dataplane/wakeup/flush_policy.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// A TxQueue (queue_concepts.h). A packet in the ring is sent; what the ring has no room for waits
// in the backlog. The policy says when a sleeping receiver is woken for packets in the ring.
class MemoryTxQueue {
 public:
  MemoryTxQueue(MemoryRing& ring, const std::atomic<bool>& peer_plugged, uint32_t backlog_packets,
                FlushPolicy flush_policy, ledger::TxQueueBlock& ledger);
  ~MemoryTxQueue() { DropHeld(ledger::DropReason::kPortRemoved); }
  MemoryTxQueue(const MemoryTxQueue&) = delete;
  MemoryTxQueue& operator=(const MemoryTxQueue&) = delete;

  void Send(Batch& in, Tsc now);
  TxResult Flush(Tsc now);
  void DropHeld(ledger::DropReason reason);
  bool Arm();
  void Disarm();
  int wait_fd() { return ring_.room_bell().fd(); }

 private:
  // Puts packets into the ring and counts them as sent; says how many had room.
  uint32_t Put(std::span<rte_mbuf* const> packets);
  void PutBacklog();
  void Ring(ledger::FlushCause cause, Tsc now);

  MemoryRing& ring_;
  const std::atomic<bool>& peer_plugged_;
  const uint32_t backlog_packets_;
  FlushPolicy flush_policy_;
  ledger::TxQueueBlock& ledger_;
  std::vector<rte_mbuf*> backlog_;  // Has its capacity from the start.
  uint32_t unrung_ = 0;             // Packets in the ring that nobody was woken for.
  Tsc first_unrung_at_ = 0;
};
static_assert(TxQueue<MemoryTxQueue>);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_MEMORY_TX_QUEUE_H_
