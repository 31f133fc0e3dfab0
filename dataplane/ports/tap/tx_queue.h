// Sends to the host through one queue of a tap.
#ifndef DATAPLANE_PORTS_TAP_TX_QUEUE_H_
#define DATAPLANE_PORTS_TAP_TX_QUEUE_H_

#include <rte_mbuf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/kernel/call_ring.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/packet/batch.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// A TxQueue (queue_concepts.h). A write is the delivery: the host's stack has handled the packet
// when it returns, and nobody has to be woken.
class TapTxQueue {
 public:
  // Packets that are held while the host has no room for them.
  static constexpr std::size_t kBacklog = 256;

  // `queue`: this queue's own descriptor, of a tap as AttachTap leaves it. `room`: an epoll
  // instance with nothing in it. `ledger`: outlives the queue.
  TapTxQueue(FileDescriptor queue, FileDescriptor room, ledger::TxQueueBlock& ledger);
  // Drops what is held as kPortRemoved.
  ~TapTxQueue();
  TapTxQueue(const TapTxQueue&) = delete;
  TapTxQueue& operator=(const TapTxQueue&) = delete;

  void Send(Batch& in, Tsc now);
  TxResult Flush(Tsc now);
  void DropHeld(ledger::DropReason reason);
  bool Arm();
  void Disarm();
  int wait_fd() const { return room_.get(); }

 private:
  // What each of some packets, from the first on, has come to: an errno, 0 for sent.
  using Errors = std::array<int, CallRing::kMaxCalls>;
  // What became of packets, for the ledger.
  struct Outcome {
    uint64_t sent = 0;
    uint64_t bytes = 0;
    // Why all that follow would be dropped too.
    std::optional<ledger::DropReason> doom;
  };

  std::size_t Transmit(std::span<rte_mbuf*> packets, Tsc now);
  std::size_t Write(std::span<rte_mbuf* const> packets, Errors& errors);
  bool WriteSeveral(CallRing& ring, std::span<rte_mbuf* const> packets, Errors& errors);
  int WriteOne(const rte_mbuf& packet);
  std::size_t Settle(std::span<rte_mbuf*> packets, const Errors& errors, Tsc now, Outcome& outcome);
  bool IsDone(int error, Tsc now, Outcome& outcome);
  void Hold(std::span<rte_mbuf*> packets, Tsc now);
  void RemoveHeld(std::size_t count);

  FileDescriptor queue_;
  FileDescriptor room_;
  ledger::TxQueueBlock& ledger_;
  const Tsc cycles_per_microsecond_;
  std::array<rte_mbuf*, kBacklog> held_;
  std::size_t held_count_ = 0;
  Tsc held_since_ = 0;
  Tsc retry_at_ = 0;    // Not before; 0: when the kernel says that there is room.
  bool armed_ = false;  // Whether queue_ is in room_.
  bool batchable_;      // Several writes may be one call.
  bool gone_ = false;   // The device.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_TAP_TX_QUEUE_H_
