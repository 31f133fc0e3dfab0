#include "dataplane/ports/ethdev/received.h"

#include <netinet/in.h>

#include "dataplane/packet/checksum.h"
#include "dataplane/packet/headers.h"
#include "dataplane/packet/linux_virtio_net.h"
#include "dataplane/packet/virtio_net_header.h"
#include "dataplane/packet/vlan.h"
#include "dataplane/ports/ethdev/pseudo_header.h"

namespace wakegate {
namespace {

using ledger::DropReason;

constexpr uint16_t kTpid8021q = 0x8100;
constexpr uint16_t kTpid8021ad = 0x88a8;

// A device that says neither what is merged nor where leaves us to look.
bool RequestOffload(rte_mbuf& packet, bool merged) {
  const Headers headers = ParseHeaders(packet);
  if (headers.l4_len == 0) return false;
  const bool tcp = headers.l4_protocol == IPPROTO_TCP;
  virtio_net_hdr request = {};
  request.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
  request.csum_start = static_cast<uint16_t>(headers.l2_len + headers.l3_len);
  request.csum_offset = static_cast<uint16_t>(tcp ? kTcpChecksumOffset : kUdpChecksumOffset);
  if (merged) {
    if (!tcp) return false;
    request.gso_type =
        headers.ip_version == 4 ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6;
    request.gso_size = packet.tso_segsz;
  }
  return ApplyVirtioNetHeader(request, packet) &&
         StorePseudoHeaderSum(packet, /*with_length=*/true);
}

// Of both tags the inner one goes in first. Which TPID they had, the driver does not say.
bool PutTagsBack(rte_mbuf& packet, uint64_t flags, uint16_t tci, uint16_t outer_tci) {
  if ((flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0 && !InsertVlanTag(packet, kTpid8021q, tci)) {
    return false;
  }
  return (flags & RTE_MBUF_F_RX_QINQ_STRIPPED) == 0 ||
         InsertVlanTag(packet, kTpid8021ad, outer_tci);
}

}  // namespace

bool NormalizeUnusual(rte_mbuf& packet, DropReason& reason) {
  const uint64_t flags = packet.ol_flags;
  packet.ol_flags &= RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
  const bool merged = (flags & RTE_MBUF_F_RX_LRO) != 0;
  const bool partial_checksum =
      (flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_NONE;
  // A checksum that is left to us is of TCP or UDP, as far as we can tell where.
  if ((merged || partial_checksum) && !RequestOffload(packet, merged)) {
    reason = DropReason::kBadOffload;
    return false;
  }
  reason = DropReason::kNoBuffer;
  return PutTagsBack(packet, flags, packet.vlan_tci, packet.vlan_tci_outer);
}

}  // namespace wakegate
