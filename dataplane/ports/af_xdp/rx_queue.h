// Receives from a queue of a network device.
#ifndef DATAPLANE_PORTS_AF_XDP_RX_QUEUE_H_
#define DATAPLANE_PORTS_AF_XDP_RX_QUEUE_H_

#include <linux/if_xdp.h>
#include <rte_mbuf.h>

#include <atomic>
#include <cstdint>

#include "dataplane/packet/batch.h"
#include "dataplane/ports/af_xdp/buffer_memory.h"
#include "dataplane/ports/af_xdp/busy_poller.h"
#include "dataplane/ports/af_xdp/lent_buffers.h"
#include "dataplane/ports/af_xdp/rings.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "dataplane/wakeup/ready_word.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

struct XdpRxSettings {
  // Buffers that the kernel has at a time, with those of packets that wait to be received; no more
  // than either ring holds.
  uint32_t buffers = 0;
  bool zero_copy = false;
  // Whether packets may come with partial checksums (partial_checksum.h).
  bool partial_checksums = false;
};

// An RxQueue (queue_concepts.h) with a ready word. The kernel puts a packet into a buffer that it
// was lent; it drops one for which it has none. An empty queue costs no system call, a packet
// neither, unless the device wants to be told of buffers (need_wakeup), or the knobs want the
// worker to have the kernel process packets where there are none (BusyPoller). Packets may be
// chains.
class AfXdpRxQueue {
 public:
  // Lends the first buffers. `rings`, the memory's pool, `busy_poller`, `ledger`: outlive the
  // queue.
  AfXdpRxQueue(XdpRings& rings, const BufferMemory& memory, const XdpRxSettings& settings,
               BusyPoller& busy_poller, ledger::RxQueueBlock& ledger);
  // Frees what the kernel was lent, which it does not have any more: the socket is closed.
  ~AfXdpRxQueue();
  AfXdpRxQueue(const AfXdpRxQueue&) = delete;
  AfXdpRxQueue& operator=(const AfXdpRxQueue&) = delete;

  ReadyWord ready_word() const;
  RxResult Receive(Batch& out);
  bool Arm();
  void Disarm() {}
  int wait_fd() const { return rings_.socket; }

  // Any thread: whether the kernel has taken the device away from the socket, for good.
  bool unbound() const { return unbound_.load(std::memory_order_relaxed); }

 private:
  // What one Receive has done, for the ledger.
  struct Look {
    uint64_t packets = 0;
    uint64_t bytes = 0;
  };

  uint32_t Peek(uint32_t most, uint32_t& first);
  void Take(const xdp_desc& descriptor, Batch& out, Look& look);
  void Finish(Batch& out, Look& look);
  void Refill();
  bool LendSome(uint32_t count);
  void KickIfWanted();

  XdpRings& rings_;
  const BufferMemory memory_;
  const XdpRxSettings settings_;
  BusyPoller& busy_poller_;
  ledger::RxQueueBlock& ledger_;
  LentBuffers lent_;
  rte_mbuf* packet_ = nullptr;  // Its first buffers are here, more are to come.
  rte_mbuf* last_ = nullptr;    // The last of these.
  bool short_of_buffers_ = false;
  std::atomic<bool> unbound_ = false;  // The worker: writes; control: reads.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_RX_QUEUE_H_
