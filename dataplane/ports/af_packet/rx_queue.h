// Receives what arrives at a network device.
#ifndef DATAPLANE_PORTS_AF_PACKET_RX_QUEUE_H_
#define DATAPLANE_PORTS_AF_PACKET_RX_QUEUE_H_

#include <rte_mempool.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/packet/batch.h"
#include "dataplane/packet/linux_virtio_net.h"
#include "dataplane/ports/af_packet/ring.h"
#include "dataplane/ports/af_packet/socket.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "dataplane/wakeup/ready_word.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// An RxQueue (queue_concepts.h) with a ready word. An empty queue costs no system call, a frame
// that fits into the ring none either, a larger one a recv. Packets may be chains of up to 64 KB
// that ask for segmentation; VLAN tags that the kernel took out of them are in again. One for which
// there is no buffer waits in the ring and is received later.
class AfPacketRxQueue {
 public:
  // `receive`: of OpenReceiveSocket. `pool`, `ledger`: outlive the queue.
  AfPacketRxQueue(PacketSocket receive, rte_mempool* pool, ledger::RxQueueBlock& ledger);

  ReadyWord ready_word() const { return {ring_.status_word(next_), TP_STATUS_USER, 0}; }
  RxResult Receive(Batch& out);
  bool Arm();
  void Disarm() {}
  int wait_fd() const { return socket_.get(); }

  // For control, to ask it and set its options.
  int socket() const { return socket_.get(); }
  // Any thread: whether there is nothing to receive, at a moment when nothing comes.
  bool RingIsEmpty() const;

 private:
  // A received frame: what the kernel says of it, and its bytes as far as they are here.
  struct Frame {
    virtio_net_hdr offload;
    std::span<const uint8_t> bytes;
  };
  // What one Receive has done, for the ledger.
  struct Look {
    uint64_t packets = 0;
    uint64_t bytes = 0;
  };

  RxResult ReceiveBurst(Batch& out, Look& look);
  bool TakeNext(uint32_t status, Batch& out, Look& look);
  Frame FrameInRing() const;
  std::optional<Frame> WholeFrame();
  std::optional<ledger::DropReason> Finish(const Frame& frame, uint32_t status,
                                           rte_mbuf& packet) const;

  FileDescriptor socket_;
  AfPacketRing ring_;
  rte_mempool* pool_;
  ledger::RxQueueBlock& ledger_;
  uint32_t next_ = 0;                 // Position of the frame that is to come.
  std::unique_ptr<uint8_t[]> large_;  // A frame that is larger than the ring's, its header
  std::size_t large_bytes_ = 0;       // before it: fetched, not received yet.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_PACKET_RX_QUEUE_H_
