#include "dataplane/ports/af_packet/rx_queue.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <rte_ether.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "dataplane/kernel/error_kind.h"
#include "dataplane/packet/packet_from_bytes.h"
#include "dataplane/packet/virtio_net_header.h"
#include "dataplane/packet/vlan.h"
#include "dataplane/ports/count_look.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::SystemCall;

constexpr std::size_t kHeaderBytes = sizeof(virtio_net_hdr);
constexpr std::size_t kLargeBytes = kHeaderBytes + kMaxPacketBytes;

}  // namespace

AfPacketRxQueue::AfPacketRxQueue(PacketSocket receive, rte_mempool* pool,
                                 ledger::RxQueueBlock& ledger)
    : socket_(std::move(receive.socket)),
      ring_(std::move(receive.ring)),
      pool_(pool),
      ledger_(ledger),
      large_(std::make_unique<uint8_t[]>(kLargeBytes)) {}

RxResult AfPacketRxQueue::Receive(Batch& out) {
  Look look;
  const RxResult result = ReceiveBurst(out, look);
  CountLook(result, look.packets, look.bytes, ledger_);
  return result;
}

// The fd itself is the readiness, and poll looks at the ring after it has put itself on the list of
// those to be woken (packet_poll): a packet that comes before or after is seen there. Two things
// are left for us. An error that waits in the socket (ENETDOWN once, when the device goes down or
// away: packet_notifier) would make every poll return at once, so it is taken out. And poll asks
// for the frame that the kernel filled last: where two CPUs fill frames at a time, ours may be
// ready while that one is not, so the ring is looked at here too, and last.
bool AfPacketRxQueue::Arm() {
  int error = 0;
  socklen_t size = sizeof(error);
  ledger_.system_calls[SystemCall::kOther].Add(1);
  getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) ledger_.errors[ErrorKindOf(error)].Add(1);
  return (ring_.Status(next_) & TP_STATUS_USER) == 0;
}

bool AfPacketRxQueue::RingIsEmpty() const {
  for (uint32_t position = 0; position < ring_.size(); ++position) {
    if ((ring_.Status(position) & TP_STATUS_USER) != 0) return false;
  }
  return true;
}

// What is dropped is part of the budget: no flood of it holds the worker.
RxResult AfPacketRxQueue::ReceiveBurst(Batch& out, Look& look) {
  for (uint32_t budget = out.room(); budget > 0; --budget) {
    const uint32_t status = ring_.Status(next_);
    if ((status & TP_STATUS_USER) == 0) return RxResult::kDrained;
    if (!TakeNext(status, out, look)) return RxResult::kRetryLater;
    ring_.SetStatus(next_++, TP_STATUS_KERNEL);
  }
  return RxResult::kMore;
}

// False: there is no buffer, the frame waits on.
bool AfPacketRxQueue::TakeNext(uint32_t status, Batch& out, Look& look) {
  std::optional<Frame> frame = FrameInRing();
  if ((status & TP_STATUS_COPY) != 0) frame = WholeFrame();
  const uint32_t wire_bytes = ring_.header(next_).tp_len;
  std::optional<DropReason> reason;
  uint64_t bytes = wire_bytes;
  // Without TP_STATUS_COPY, a frame that is cut off is one for which the kernel had no memory.
  if (!frame.has_value() || frame->bytes.size() != wire_bytes) {
    reason = DropReason::kTruncated;
  } else if (wire_bytes < RTE_ETHER_HDR_LEN) {
    reason = DropReason::kRunt;
  } else {
    rte_mbuf* packet = PacketFromBytes(frame->bytes, pool_);
    if (packet == nullptr) return false;
    reason = Finish(*frame, status, *packet);
    bytes = packet->pkt_len;
    if (reason.has_value()) {
      rte_pktmbuf_free(packet);
    } else {
      out.Append(packet);
    }
  }
  if (reason.has_value()) ledger_.drops[*reason].Add(1);
  ++look.packets;
  look.bytes += bytes;
  large_bytes_ = 0;
  return true;
}

AfPacketRxQueue::Frame AfPacketRxQueue::FrameInRing() const {
  const tpacket2_hdr& header = ring_.header(next_);
  const uint8_t* start = ring_.frame(next_) + header.tp_mac;
  Frame frame = {{}, {start, header.tp_snaplen}};
  std::memcpy(&frame.offload, start - kHeaderBytes, kHeaderBytes);
  return frame;
}

// Of a frame with TP_STATUS_COPY. The kernel appends it to the socket's queue and gives it its
// place in the ring under one lock (tpacket_rcv): the first in the queue is that of the first such
// frame in the ring, provided that each of them takes one out, just once. Nothing: it is lost.
std::optional<AfPacketRxQueue::Frame> AfPacketRxQueue::WholeFrame() {
  while (large_bytes_ == 0) {
    ledger_.system_calls[SystemCall::kReceive].Add(1);
    const ssize_t bytes = recv(socket_.get(), large_.get(), kLargeBytes, MSG_DONTWAIT);
    if (bytes > 0) {
      large_bytes_ = static_cast<std::size_t>(bytes);
      break;
    }
    const ErrorKind kind = ErrorKindOf(errno);
    ledger_.errors[kind].Add(1);
    // A waiting error (see Arm) is told, once, before anything is taken from the queue.
    if (kind != ErrorKind::kLinkDown) return std::nullopt;
  }
  Frame frame = {{}, {large_.get() + kHeaderBytes, large_bytes_ - kHeaderBytes}};
  std::memcpy(&frame.offload, large_.get(), kHeaderBytes);
  return frame;
}

// Applies what the kernel says of the frame. The kernel has taken the outermost VLAN tag out before
// it counted csum_start (it gives virtio_net_hdr_from_skb a vlan_hlen of 0), so the tag comes last.
std::optional<DropReason> AfPacketRxQueue::Finish(const Frame& frame, uint32_t status,
                                                  rte_mbuf& packet) const {
  if (!ApplyVirtioNetHeader(frame.offload, packet)) return DropReason::kBadOffload;
  if ((status & TP_STATUS_VLAN_VALID) == 0) return std::nullopt;
  const tpacket2_hdr& header = ring_.header(next_);
  const uint16_t tpid =
      (status & TP_STATUS_VLAN_TPID_VALID) != 0 ? header.tp_vlan_tpid : uint16_t{ETH_P_8021Q};
  if (!InsertVlanTag(packet, tpid, header.tp_vlan_tci)) return DropReason::kNoBuffer;
  return std::nullopt;
}

}  // namespace wakegate
