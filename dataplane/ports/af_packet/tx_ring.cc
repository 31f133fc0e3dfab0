#include "dataplane/ports/af_packet/tx_ring.h"

#include <linux/if_packet.h>
#include <rte_ether.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "dataplane/packet/linux_virtio_net.h"
#include "dataplane/packet/offload.h"
#include "dataplane/packet/virtio_net_header.h"

namespace wakegate {
namespace {

constexpr uint32_t kHeaderBytes = sizeof(virtio_net_hdr);
// Where the kernel expects the virtio-net header and then the packet, without PACKET_TX_HAS_OFF
// (tpacket_parse_header).
constexpr uint32_t kDataOffset = TPACKET2_HDRLEN - sizeof(sockaddr_ll);
constexpr uint32_t kMaxBytes = AfPacketRing::kFrameBytes - kDataOffset - kHeaderBytes;
// Still to be sent, or still with the device. The status has timestamp bits too.
constexpr uint32_t kBusy = TP_STATUS_SEND_REQUEST | TP_STATUS_SENDING;

}  // namespace

TxRing::TxRing(PacketSocket transmit)
    : socket_(std::move(transmit.socket)), ring_(std::move(transmit.ring)) {}

bool TxRing::Fits(const rte_mbuf& packet) {
  if (packet.pkt_len < RTE_ETHER_HDR_LEN || packet.pkt_len > kMaxBytes) return false;
  if (AsksForSegmentation(packet)) return false;
  if (!HasOffload(packet)) return true;
  // __packet_snd_vnet_parse refuses a checksum that ends beyond the frame.
  const virtio_net_hdr header = MakeVirtioNetHeader(packet);
  return header.csum_start + header.csum_offset + sizeof(uint16_t) <= packet.pkt_len;
}

bool TxRing::HasRoom() const {
  return head_ - first_ < ring_.size() && (ring_.Status(head_) & kBusy) == 0;
}

void TxRing::Put(const rte_mbuf& packet) {
  uint8_t* to = ring_.frame(head_) + kDataOffset;
  virtio_net_hdr header = MakeVirtioNetHeader(packet);
  // The kernel copies the first hdr_len bytes and refers to the rest in place; then whoever has the
  // packet would have the ring's memory (docs/decisions/0003).
  header.hdr_len = static_cast<uint16_t>(packet.pkt_len);
  std::memcpy(to, &header, kHeaderBytes);
  to += kHeaderBytes;
  for (const rte_mbuf* segment = &packet; segment != nullptr; segment = segment->next) {
    std::memcpy(to, rte_pktmbuf_mtod(segment, const void*), segment->data_len);
    to += segment->data_len;
  }
  ring_.header(head_).tp_len = kHeaderBytes + packet.pkt_len;
  ring_.SetStatus(head_++, TP_STATUS_SEND_REQUEST);
}

// A frame that the device or its queue refuses is to be sent again, and the kernel says ENOBUFS.
RingResult TxRing::Ring() {
  RingResult result;
  if (send(socket_.get(), nullptr, 0, MSG_DONTWAIT) < 0) result.error = errno;
  while (first_ != head_ && (ring_.Status(first_) & TP_STATUS_SEND_REQUEST) == 0) {
    if (discarded_ > 0) {
      --discarded_;
    } else {
      ++result.packets;
      result.bytes += ring_.header(first_).tp_len - kHeaderBytes;
    }
    ++first_;
  }
  return result;
}

// A frame without even a virtio-net header is malformed, and with PACKET_LOSS the kernel gives it
// back and goes on behind it. Taking it out would leave a hole or move all others.
void TxRing::DiscardFirst() {
  ring_.header(first_ + discarded_).tp_len = 0;
  ++discarded_;
}

uint32_t TxRing::TakeBack() {
  const uint32_t packets = waiting();
  for (uint32_t position = first_; position != head_; ++position) {
    ring_.SetStatus(position, TP_STATUS_AVAILABLE);
  }
  head_ = first_;
  discarded_ = 0;
  return packets;
}

}  // namespace wakegate
