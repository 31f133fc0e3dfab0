// Sends to a queue of a DPDK device.
#ifndef DATAPLANE_PORTS_ETHDEV_TX_QUEUE_H_
#define DATAPLANE_PORTS_ETHDEV_TX_QUEUE_H_

#include <rte_mbuf.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/packet/batch.h"
#include "dataplane/ports/ethdev/gate.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// What a transmit queue asks of its port when the device takes no packet. Control writes, workers
// read.
struct PortFlags {
  std::atomic<bool> admin_up = false;
  std::atomic<bool> carrier = false;
};

// A TxQueue (queue_concepts.h). A packet that the driver has taken is sent. What it has no room for
// waits in the backlog and is tried again, more and more seldom: no driver tells when there is
// room. While the port is down or has no carrier, nothing waits: it is dropped by that name.
class EthdevTxQueue {
 public:
  static constexpr uint32_t kBacklogPackets = 256;

  // `device`: DPDK's port id. `tx_offloads`: what it was set up with. `flags` and `ledger` outlive
  // the queue. It is stopped.
  EthdevTxQueue(uint16_t device, uint16_t queue, uint64_t tx_offloads, const PortFlags& flags,
                ledger::TxQueueBlock& ledger);
  // Drops what is held as kPortRemoved.
  ~EthdevTxQueue();
  EthdevTxQueue(const EthdevTxQueue&) = delete;
  EthdevTxQueue& operator=(const EthdevTxQueue&) = delete;

  void Send(Batch& in, Tsc now);
  TxResult Flush(Tsc now);
  void DropHeld(ledger::DropReason reason);
  // Never blocked, so never armed.
  bool Arm() { return false; }
  void Disarm() {}
  int wait_fd() const { return -1; }

  // Control, around the time in which the device runs: Start once it does, Stop before it no longer
  // does. The worker may go on calling all of the above; a stopped queue has no room.
  void Start() { gate_.Open(); }
  void Stop() { gate_.Close(); }
  // Open while it runs. Whoever closes it for a moment opens it again.
  Gate& gate() { return gate_; }

 private:
  uint32_t Push(std::span<rte_mbuf*> packets);
  uint32_t PushInside(std::span<rte_mbuf*> packets);
  uint32_t Prepare(std::span<rte_mbuf*> packets);
  uint32_t Burst(std::span<rte_mbuf*> packets);
  bool PushBacklog();
  void Hold(std::span<rte_mbuf*> packets);
  std::optional<ledger::DropReason> WhyDown() const;

  const uint16_t device_;
  const uint16_t queue_;
  const uint64_t tx_offloads_;
  const PortFlags& flags_;
  ledger::TxQueueBlock& ledger_;
  const Tsc cycles_per_microsecond_;
  Gate gate_;
  std::vector<rte_mbuf*> backlog_;  // Has its capacity from the start.
  Tsc retry_after_;                 // How long it waits before it tries again.
  Tsc retry_at_ = 0;                // Not before.
  Tsc held_since_ = 0;              // Where the backlog is not empty.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_TX_QUEUE_H_
