#include "dataplane/packet/virtio_net_header.h"

#include <netinet/in.h>
#include <rte_tcp.h>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/headers.h"
#include "dataplane/packet/offload.h"
#include "dataplane/packet/segment.h"

namespace wakegate {
namespace {

// What the header asks for, as flags of an mbuf; 0: offload.h cannot express it.
uint64_t ChecksumFlags(const virtio_net_hdr& header, const Headers& headers) {
  if (headers.l4_len == 0 || header.csum_start != headers.l2_len + headers.l3_len) return 0;
  const uint64_t ip_flag = headers.ip_version == 4 ? RTE_MBUF_F_TX_IPV4 : RTE_MBUF_F_TX_IPV6;
  const bool tcp = headers.l4_protocol == IPPROTO_TCP;
  if (header.csum_offset != (tcp ? kTcpChecksumOffset : kUdpChecksumOffset)) return 0;
  return ip_flag | (tcp ? RTE_MBUF_F_TX_TCP_CKSUM : RTE_MBUF_F_TX_UDP_CKSUM);
}

// The flag that segments a packet of these checksum flags in this way; 0: a contradiction, or a
// way that we do not know. VIRTIO_NET_HDR_GSO_UDP (UFO) is one: it makes fragments.
uint64_t SegmentationFlag(uint8_t gso_type, uint64_t checksum_flags) {
  constexpr uint64_t kTcp4 = RTE_MBUF_F_TX_TCP_CKSUM | RTE_MBUF_F_TX_IPV4;
  constexpr uint64_t kTcp6 = RTE_MBUF_F_TX_TCP_CKSUM | RTE_MBUF_F_TX_IPV6;
  switch (gso_type) {
    case VIRTIO_NET_HDR_GSO_TCPV4:
    case VIRTIO_NET_HDR_GSO_TCPV4 | VIRTIO_NET_HDR_GSO_ECN:
      return checksum_flags == kTcp4 ? RTE_MBUF_F_TX_TCP_SEG : 0;
    case VIRTIO_NET_HDR_GSO_TCPV6:
    case VIRTIO_NET_HDR_GSO_TCPV6 | VIRTIO_NET_HDR_GSO_ECN:
      return checksum_flags == kTcp6 ? RTE_MBUF_F_TX_TCP_SEG : 0;
    case VIRTIO_NET_HDR_GSO_UDP_L4:
      return (checksum_flags & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_UDP_CKSUM
                 ? RTE_MBUF_F_TX_UDP_SEG
                 : 0;
    default:
      return 0;
  }
}

void SetOffload(rte_mbuf& packet, uint64_t flags, const Headers& headers, uint16_t tso_segsz) {
  packet.ol_flags = (packet.ol_flags & ~kOffloadFlags) | flags;
  packet.l2_len = headers.l2_len;
  packet.l3_len = headers.l3_len;
  packet.l4_len = headers.l4_len;
  packet.tso_segsz = tso_segsz;
}

// A place that offload.h does not know: within a tunnel, or another protocol.
bool CompleteAtOnce(const virtio_net_hdr& header, const Headers& headers, rte_mbuf& packet) {
  if (headers.l2_len == 0 || header.csum_start < headers.l2_len) return false;
  // A veth leaves SCTP's CRC to the device like a checksum (NETIF_F_SCTP_CRC), and the header
  // cannot say that it is none.
  const bool sctp = headers.l4_protocol == IPPROTO_SCTP && headers.l3_len != 0 &&
                    header.csum_start == headers.l2_len + headers.l3_len &&
                    header.csum_offset == kSctpChecksumOffset;
  if (sctp) return CompleteSctpChecksum(packet, header.csum_start);
  return CompleteInternetChecksum(packet, header.csum_start, header.csum_offset);
}

bool ApplySegmentation(const virtio_net_hdr& header, const Headers& headers,
                       uint64_t checksum_flags, rte_mbuf& packet) {
  const uint64_t segmentation_flag = SegmentationFlag(header.gso_type, checksum_flags);
  if (segmentation_flag == 0 || header.gso_size == 0) return false;
  const uint32_t payload_bytes =
      packet.pkt_len - (headers.l2_len + headers.l3_len + headers.l4_len);
  if (payload_bytes > uint32_t{header.gso_size} * kMaxSegments) return false;
  // What is no longer than one segment is none, as in Linux' virtio_net_hdr_to_skb.
  const uint64_t flags =
      payload_bytes > header.gso_size ? checksum_flags | segmentation_flag : checksum_flags;
  SetOffload(packet, flags, headers, header.gso_size);
  return true;
}

uint8_t GsoType(const rte_mbuf& packet) {
  if ((packet.ol_flags & RTE_MBUF_F_TX_UDP_SEG) != 0) return VIRTIO_NET_HDR_GSO_UDP_L4;
  const uint8_t type = (packet.ol_flags & RTE_MBUF_F_TX_IPV4) != 0 ? VIRTIO_NET_HDR_GSO_TCPV4
                                                                   : VIRTIO_NET_HDR_GSO_TCPV6;
  // The bit says that only the first segment has the CWR flag (RFC 3168), so it must be said just
  // when the flag is there.
  rte_tcp_hdr copy;
  const auto* tcp = ReadHeader(packet, packet.l2_len + packet.l3_len, copy);
  const bool cwr = tcp != nullptr && (tcp->tcp_flags & RTE_TCP_CWR_FLAG) != 0;
  return cwr ? type | VIRTIO_NET_HDR_GSO_ECN : type;
}

}  // namespace

bool ApplyVirtioNetHeader(const virtio_net_hdr& header, rte_mbuf& packet) {
  const bool needs_checksum = (header.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) != 0;
  if (!needs_checksum) {
    // Segmentation without a partial checksum does not exist (virtio 1.1, 5.1.6.2).
    if (header.gso_type != VIRTIO_NET_HDR_GSO_NONE) return false;
    packet.ol_flags &= ~kOffloadFlags;
    return true;
  }
  const Headers headers = ParseHeaders(packet);
  const uint64_t flags = ChecksumFlags(header, headers);
  if (header.gso_type != VIRTIO_NET_HDR_GSO_NONE) {
    return ApplySegmentation(header, headers, flags, packet);
  }
  if (flags == 0 && !CompleteAtOnce(header, headers, packet)) return false;
  SetOffload(packet, flags, headers, /*tso_segsz=*/0);
  return true;
}

virtio_net_hdr MakeVirtioNetHeader(const rte_mbuf& packet) {
  virtio_net_hdr header = {};
  if (!HasOffload(packet)) return header;
  const bool tcp = (packet.ol_flags & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_TCP_CKSUM;
  header.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
  header.csum_start = packet.l2_len + packet.l3_len;
  header.csum_offset = tcp ? kTcpChecksumOffset : kUdpChecksumOffset;
  if (!AsksForSegmentation(packet)) return header;
  header.gso_type = GsoType(packet);
  header.gso_size = packet.tso_segsz;
  header.hdr_len = packet.l2_len + packet.l3_len + packet.l4_len;
  return header;
}

}  // namespace wakegate
