#include "dataplane/packet/segment.h"

#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/headers.h"
#include "dataplane/packet/offload.h"

namespace wakegate {
namespace {

bool IsTcp(const rte_mbuf& packet) { return (packet.ol_flags & RTE_MBUF_F_TX_TCP_SEG) != 0; }
bool IsIpv4(const rte_mbuf& packet) { return (packet.ol_flags & RTE_MBUF_F_TX_IPV4) != 0; }

uint32_t HeaderBytes(const rte_mbuf& packet) {
  return packet.l2_len + packet.l3_len + packet.l4_len;
}

// Whether the flags name one kind, and the lengths can be that kind's.
bool IsConsistent(const rte_mbuf& packet) {
  const bool ipv6 = (packet.ol_flags & RTE_MBUF_F_TX_IPV6) != 0;
  const bool udp = (packet.ol_flags & RTE_MBUF_F_TX_UDP_SEG) != 0;
  if (IsIpv4(packet) == ipv6 || IsTcp(packet) == udp) return false;
  if (packet.pkt_len > kMaxPacketBytes) return false;
  return packet.l2_len >= kEthernetBytes &&
         packet.l3_len >= (ipv6 ? sizeof(rte_ipv6_hdr) : sizeof(rte_ipv4_hdr)) &&
         packet.l4_len >= (udp ? sizeof(rte_udp_hdr) : sizeof(rte_tcp_hdr));
}

class Segmenter {
 public:
  Segmenter(const rte_mbuf& packet, rte_mempool* pool)
      : packet_(packet),
        pool_(pool),
        headers_(static_cast<const uint8_t*>(
            rte_pktmbuf_read(&packet, 0, HeaderBytes(packet), header_copy_))),
        checksum_offset_(IsTcp(packet) ? kTcpChecksumOffset : kUdpChecksumOffset),
        pseudo_header_sum_(PseudoHeaderSum()),
        payload_(packet, HeaderBytes(packet)),
        payload_left_(packet.pkt_len - HeaderBytes(packet)) {}

  // The next segment, or null where there is no buffer for it.
  rte_mbuf* Next() {
    const uint32_t payload_bytes = std::min<uint32_t>(packet_.tso_segsz, payload_left_);
    rte_mbuf* segment = Copy(payload_bytes);
    if (segment == nullptr) return nullptr;
    payload_left_ -= payload_bytes;
    const uint32_t l4_bytes = packet_.l4_len + payload_bytes;
    auto* l3 = rte_pktmbuf_mtod_offset(segment, uint8_t*, packet_.l2_len);
    IsIpv4(packet_) ? CompleteIpv4(l3, l4_bytes) : CompleteIpv6(l3, l4_bytes);
    IsTcp(packet_) ? CompleteTcp(l3 + packet_.l3_len) : CompleteUdp(l3 + packet_.l3_len, l4_bytes);
    CompleteChecksum(*segment, l4_bytes);
    ++index_;
    return segment;
  }

 private:
  // The sum without the length, in the CPU's byte order. The field has it with the length of the
  // whole packet (virtio 1.1, 5.1.6.2). Taking that off, as Linux' tcp_gso_segment does, is right
  // whatever the IP header is, where adding up addresses is not (IPv6 with a routing header).
  uint16_t PseudoHeaderSum() const {
    const uint32_t l4_start = packet_.l2_len + packet_.l3_len;
    rte_be16_t field;
    std::memcpy(&field, headers_ + l4_start + checksum_offset_, sizeof(field));
    const auto l4_bytes = FoldSum(packet_.pkt_len - l4_start);
    return FoldSum(rte_be_to_cpu_16(field) + static_cast<uint16_t>(~l4_bytes));
  }

  // The headers as they are and the next of the payload, in as few new mbufs as hold it.
  rte_mbuf* Copy(uint32_t payload_bytes) {
    rte_mbuf* head = rte_pktmbuf_alloc(pool_);
    if (head == nullptr) return nullptr;
    char* headers = rte_pktmbuf_append(head, static_cast<uint16_t>(HeaderBytes(packet_)));
    assert(headers != nullptr);
    std::memcpy(headers, headers_, HeaderBytes(packet_));
    for (rte_mbuf* tail = head; payload_bytes > 0;) {
      const uint32_t bytes = std::min<uint32_t>(payload_bytes, rte_pktmbuf_tailroom(tail));
      auto* to = rte_pktmbuf_mtod_offset(tail, uint8_t*, tail->data_len);
      payload_.Advance(bytes, [&to](const uint8_t* from, uint32_t run) {
        std::memcpy(to, from, run);
        to += run;
      });
      tail->data_len += bytes;
      head->pkt_len += bytes;
      payload_bytes -= bytes;
      if (payload_bytes == 0) break;
      tail->next = rte_pktmbuf_alloc(pool_);
      tail = tail->next;
      if (tail == nullptr) {
        rte_pktmbuf_free(head);
        return nullptr;
      }
      ++head->nb_segs;
    }
    return head;
  }

  void CompleteIpv4(uint8_t* l3, uint32_t l4_bytes) const {
    auto* ip = reinterpret_cast<rte_ipv4_hdr*>(l3);
    ip->total_length = rte_cpu_to_be_16(static_cast<uint16_t>(packet_.l3_len + l4_bytes));
    // Distinct even where the sender does not allow fragments, as Linux' inet_gso_segment.
    ip->packet_id =
        rte_cpu_to_be_16(static_cast<uint16_t>(rte_be_to_cpu_16(ip->packet_id) + index_));
    ip->hdr_checksum = 0;
    ip->hdr_checksum = static_cast<uint16_t>(~rte_raw_cksum(ip, packet_.l3_len));
  }

  void CompleteIpv6(uint8_t* l3, uint32_t l4_bytes) const {
    auto* ip = reinterpret_cast<rte_ipv6_hdr*>(l3);
    ip->payload_len =
        rte_cpu_to_be_16(static_cast<uint16_t>(packet_.l3_len - sizeof(rte_ipv6_hdr) + l4_bytes));
  }

  void CompleteTcp(uint8_t* l4) const {
    auto* tcp = reinterpret_cast<rte_tcp_hdr*>(l4);
    tcp->sent_seq = rte_cpu_to_be_32(rte_be_to_cpu_32(tcp->sent_seq) + index_ * packet_.tso_segsz);
    if (payload_left_ > 0) tcp->tcp_flags &= ~(RTE_TCP_FIN_FLAG | RTE_TCP_PSH_FLAG);
    // RFC 3168, 6.1.2: one reduction of the window is told once.
    if (index_ > 0) tcp->tcp_flags &= ~RTE_TCP_CWR_FLAG;
  }

  static void CompleteUdp(uint8_t* l4, uint32_t l4_bytes) {
    auto* udp = reinterpret_cast<rte_udp_hdr*>(l4);
    udp->dgram_len = rte_cpu_to_be_16(static_cast<uint16_t>(l4_bytes));
  }

  void CompleteChecksum(rte_mbuf& segment, uint32_t l4_bytes) const {
    const uint32_t l4_start = packet_.l2_len + packet_.l3_len;
    const rte_be16_t field = rte_cpu_to_be_16(FoldSum(uint64_t{pseudo_header_sum_} + l4_bytes));
    std::memcpy(rte_pktmbuf_mtod_offset(&segment, uint8_t*, l4_start + checksum_offset_), &field,
                sizeof(field));
    CompleteInternetChecksum(segment, l4_start, checksum_offset_);
  }

  const rte_mbuf& packet_;
  rte_mempool* const pool_;
  // Room for all that the three length fields of an mbuf can express.
  uint8_t header_copy_[(1 << RTE_MBUF_L2_LEN_BITS) + (1 << RTE_MBUF_L3_LEN_BITS) +
                       (1 << RTE_MBUF_L4_LEN_BITS)];
  const uint8_t* const headers_;
  const uint32_t checksum_offset_;
  const uint16_t pseudo_header_sum_;
  ByteCursor payload_;
  uint32_t payload_left_;
  uint32_t index_ = 0;  // Of the next segment.
};

}  // namespace

uint32_t CountSegments(const rte_mbuf& packet) {
  if (!IsConsistent(packet) || packet.tso_segsz == 0 || packet.pkt_len <= HeaderBytes(packet)) {
    return 0;
  }
  const uint32_t payload_bytes = packet.pkt_len - HeaderBytes(packet);
  const uint32_t count = (payload_bytes - 1) / packet.tso_segsz + 1;
  return count <= kMaxSegments ? count : 0;
}

uint32_t LargestSegmentBytes(const rte_mbuf& packet) {
  return std::min<uint32_t>(packet.pkt_len, HeaderBytes(packet) + packet.tso_segsz);
}

bool Segment(const rte_mbuf& packet, rte_mempool* pool, std::span<rte_mbuf*> segments) {
  Segmenter segmenter(packet, pool);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    segments[i] = segmenter.Next();
    if (segments[i] == nullptr) {
      rte_pktmbuf_free_bulk(segments.data(), static_cast<unsigned>(i));
      return false;
    }
  }
  return true;
}

}  // namespace wakegate
