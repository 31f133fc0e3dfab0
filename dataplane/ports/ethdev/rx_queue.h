// Receives from a queue of a DPDK device.
#ifndef DATAPLANE_PORTS_ETHDEV_RX_QUEUE_H_
#define DATAPLANE_PORTS_ETHDEV_RX_QUEUE_H_

#include <rte_mempool.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/packet/batch.h"
#include "dataplane/ports/ethdev/gate.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// An RxQueue (queue_concepts.h) without a ready word: DPDK's drivers do not show theirs. Where the
// driver has no Rx interrupts, Arm always says no: a packet may be there.
class EthdevRxQueue {
 public:
  // `device`: DPDK's port id. `pool`: what the queue was set up with. Both outlive it, as does
  // `ledger`. `epoll`: an instance with nothing in it. The queue is stopped.
  EthdevRxQueue(uint16_t device, uint16_t queue, rte_mempool* pool, FileDescriptor epoll,
                ledger::RxQueueBlock& ledger);
  // Drops what it has taken from the device and not given on, as kPortRemoved.
  ~EthdevRxQueue();
  EthdevRxQueue(const EthdevRxQueue&) = delete;
  EthdevRxQueue& operator=(const EthdevRxQueue&) = delete;

  RxResult Receive(Batch& out);
  bool Arm();
  void Disarm();
  int wait_fd() const { return epoll_.get(); }

  // Control, around the time in which the device runs: Start once it does, Stop before it no longer
  // does. The worker may go on calling all of the above; a stopped queue is empty. `interrupts`:
  // whether to use them. Says whether that worked.
  bool Start(bool interrupts);
  void Stop();
  // While it is stopped.
  void DropStash(ledger::DropReason reason);
  // Open while it runs. Whoever closes it for a moment opens it again.
  Gate& gate() { return gate_; }

 private:
  // Drivers with vector instructions take 4 or 8 packets at a time, and none where fewer are asked
  // for: a smaller burst goes through the stash.
  static constexpr uint32_t kStride = 8;
  static constexpr uint32_t kStashPackets = 32;

  // What came from the device in one look, for the ledger.
  struct Look {
    uint64_t packets = 0;
    uint64_t bytes = 0;
  };

  // All of these: inside the gate.
  bool ReceiveInside(Batch& out, Look& look);
  uint32_t Burst(std::span<rte_mbuf*> room, Look& look);
  void FillStash(Look& look);
  bool StashIsEmpty() const { return stash_next_ == stash_end_; }
  bool ArmInside();
  void DisarmInside();
  bool ComesAPacket();
  bool HasBuffer() const;
  void ForgetOldEvents();

  const uint16_t device_;
  const uint16_t queue_;
  rte_mempool* const pool_;
  const FileDescriptor epoll_;
  ledger::RxQueueBlock& ledger_;
  Gate gate_;
  std::atomic<bool> stopped_ = true;  // Control writes, the worker reads.
  bool interrupts_ = false;           // Control writes, with the gate closed.
  bool armed_ = false;
  // Taken from the device, normalised and counted, not given on yet.
  std::array<rte_mbuf*, kStashPackets> stash_;
  uint32_t stash_next_ = 0;
  uint32_t stash_end_ = 0;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_RX_QUEUE_H_
