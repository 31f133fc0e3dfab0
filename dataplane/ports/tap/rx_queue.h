// Receives what the host sends to one queue of a tap.
#ifndef DATAPLANE_PORTS_TAP_RX_QUEUE_H_
#define DATAPLANE_PORTS_TAP_RX_QUEUE_H_

#include <rte_mempool.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dataplane/kernel/call_ring.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/packet/batch.h"
#include "dataplane/packet/headers.h"
#include "dataplane/packet/linux_virtio_net.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// An RxQueue (queue_concepts.h). Packets may be chains of up to 64 KB that ask for segmentation.
// One for which there is no buffer waits and is received later.
class TapRxQueue {
 public:
  static constexpr bool kFileTellsReadiness = true;

  // `queue`: this queue's own descriptor, of a tap as AttachTap leaves it. `never_ready_fd`: a file
  // that poll never reports, open as long as the queue. `pool`, `ledger`: outlive the queue.
  TapRxQueue(FileDescriptor queue, int never_ready_fd, rte_mempool* pool,
             ledger::RxQueueBlock& ledger);
  // Drops what is read and not received as kPortRemoved.
  ~TapRxQueue();
  TapRxQueue(const TapRxQueue&) = delete;
  TapRxQueue& operator=(const TapRxQueue&) = delete;

  RxResult Receive(Batch& out);
  // Makes no system call.
  bool Arm();
  void Disarm() {}
  int wait_fd() const { return queue_.get(); }

 private:
  // What one Receive has done, for the ledger.
  struct Look {
    uint64_t reads = 0;
    uint64_t batches = 0;
    uint64_t packets = 0;
    uint64_t bytes = 0;
  };

  RxResult ReceiveBurst(Batch& out, Look& look);
  bool Read(uint32_t most, Look& look);
  bool ReadOne(Look& look);
  bool ReadSeveral(CallRing& ring, uint32_t count, Look& look);
  bool MayReadOn(int error);
  bool TakeWaiting(Batch& out, Look& look);
  uint8_t* buffer(uint32_t index) const { return &buffers_[index * kBufferStride]; }

  // One byte more than any packet needs: read cuts off without a word (tun_chr_read_iter in
  // drivers/net/tun.c), so a full buffer means that it may have.
  static constexpr std::size_t kBufferBytes = sizeof(virtio_net_hdr) + kMaxPacketBytes + 1;
  // An odd number of cache lines: the buffers' first ones are not all in one set of the cache.
  static constexpr std::size_t kBufferStride = (kBufferBytes + 127) / 128 * 128 + 64;
  static constexpr uint32_t kBuffers = 32;

  FileDescriptor queue_;
  int never_ready_fd_;
  rte_mempool* pool_;
  ledger::RxQueueBlock& ledger_;
  // The headers and packets that were read last. Most of the memory is never touched: what is
  // longer than a page or two is rare.
  std::unique_ptr<uint8_t[]> buffers_;
  std::array<std::size_t, kBuffers> read_bytes_ = {};  // 0: nothing was read into that buffer.
  uint32_t waiting_ = 0;                               // The first that is not received yet.
  uint32_t waiting_end_ = 0;
  uint32_t expected_ = 1;  // How many reads are worth a try together.
  bool batchable_ = true;  // The kernel reads several at once.
  bool gone_ = false;      // The device.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_TAP_RX_QUEUE_H_
