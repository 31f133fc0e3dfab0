// Sends through a queue of a network device.
#ifndef DATAPLANE_PORTS_AF_XDP_TX_QUEUE_H_
#define DATAPLANE_PORTS_AF_XDP_TX_QUEUE_H_

#include <rte_mbuf.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "dataplane/packet/batch.h"
#include "dataplane/ports/af_xdp/buffer_memory.h"
#include "dataplane/ports/af_xdp/rings.h"
#include "dataplane/ports/af_xdp/tx_ring.h"
#include "dataplane/ports/backlog.h"
#include "dataplane/ports/queue_tuning.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// A TxQueue (queue_concepts.h). Packets wait in the ring, and behind it in a backlog. Flush has the
// kernel send them, with one system call for all that a turn or several turns in a row have
// brought, and none where the kernel is at it anyway. It looks again while the kernel has not taken
// all, or has not given all buffers back; never does it say that it is blocked. A kernel that takes
// a part with each call is called again at once, or in a later turn when buffers have come back.
//
// What the ledger says: a packet is held until the kernel has taken it, then sent, whatever the
// device does with it later; kDeviceRefused where the kernel says at once that the device dropped
// it. While the device is down, what is in the ring stays held, since the kernel will send it; what
// comes after is dropped as kLinkDown.
class AfXdpTxQueue {
 public:
  // `rings`, the memory's pool, `ledger`: outlive the queue.
  AfXdpTxQueue(XdpRings& rings, const BufferMemory& memory, const XdpTxSettings& settings,
               ledger::TxQueueBlock& ledger);
  // Drops what is held as kPortRemoved, and frees all buffers: the socket is closed.
  ~AfXdpTxQueue();
  AfXdpTxQueue(const AfXdpTxQueue&) = delete;
  AfXdpTxQueue& operator=(const AfXdpTxQueue&) = delete;

  // Makes no system call, unless the backlog is full.
  void Send(Batch& in, Tsc now);
  TxResult Flush(Tsc now);
  void DropHeld(ledger::DropReason reason);
  bool Arm() { return true; }
  void Disarm() {}
  int wait_fd() const { return rings_.socket; }

  // Control thread, while the worker sends.
  void Continue(TxContinue when) { continue_.store(when, std::memory_order_relaxed); }

  // Before the socket is closed, and after DropHeld: waits until the kernel has given back the
  // buffers that it has taken, or until `end`; counts those that it has not. Control thread.
  void AwaitBuffers(std::chrono::steady_clock::time_point end);

 private:
  uint32_t held() const { return ring_.waiting() + backlog_.size(); }
  void Take(rte_mbuf* packet, Tsc now);
  void MakeRoom(Tsc now);
  rte_mbuf* Sendable(rte_mbuf* packet);
  void Drop(rte_mbuf* packet, ledger::DropReason reason);
  void DropBacklog(ledger::DropReason reason);
  void FillRing();
  bool Gathers(Tsc now) const;
  TxResult Push(Tsc now);
  bool MayKick(Tsc now);
  void Kick(Tsc now);
  TxResult Later(Tsc now);
  TxResult AwaitCompletions(Tsc now);
  void Collect(int error, Tsc now);
  void Reap();
  void SetLevels();
  Tsc Microseconds(uint64_t microseconds) const { return microseconds * cycles_per_microsecond_; }

  XdpRings& rings_;
  const BufferMemory memory_;
  ledger::TxQueueBlock& ledger_;
  const Tsc cycles_per_microsecond_;
  XdpTxRing ring_;
  Backlog backlog_;
  std::atomic<TxContinue> continue_ = TxContinue::kAtOnce;  // Control: writes; the worker: reads.
  bool added_ = false;        // Packets have come since the last Flush.
  bool uncounted_ = false;    // Likewise, and nothing says yet that they needed no kick.
  bool made_room_ = false;    // This Send has tried to.
  bool progress_ = false;     // The last kick got on.
  bool taken_some_ = false;   // Likewise, and what is left is not to be asked for at once.
  bool came_back_ = false;    // Buffers, since the last kick.
  bool link_down_ = false;    // The kernel said so, and has taken nothing since.
  bool gone_ = false;         // The device, for this socket; or the queue goes away.
  Tsc waiting_since_ = 0;     // The first packet that waits; moves on with what is taken.
  Tsc retry_at_ = 0;          // No kick before.
  uint64_t retry_pause_ = 0;  // Microseconds; 0: the last try got on.
  Tsc look_at_ = 0;           // When to look for buffers next.
  uint64_t look_pause_ = 0;   // Microseconds.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_TX_QUEUE_H_
