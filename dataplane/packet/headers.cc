#include "dataplane/packet/headers.h"

#include <netinet/in.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include <optional>

#include "dataplane/packet/bytes.h"

// Not rte_net_get_ptype (22.11): it takes an 802.1ad tag for two, knows no two 802.1Q tags, and
// believes an IPv4 header length below 20.

namespace wakegate {
namespace {

constexpr uint8_t kNoProtocol = IPPROTO_NONE;  // "No next header"; of a fragment too.

struct IpHeader {
  uint32_t bytes;
  uint8_t protocol;
};

// The frame's EtherType, behind its tags; l2_len is set.
std::optional<uint16_t> ParseLayer2(const rte_mbuf& packet, Headers& headers) {
  rte_ether_hdr ethernet_copy;
  const auto* ethernet = ReadHeader(packet, 0, ethernet_copy);
  if (ethernet == nullptr) return std::nullopt;
  uint16_t type = ethernet->ether_type;
  headers.l2_len = kEthernetBytes;
  for (uint32_t tag = 0; tag < kMaxVlanTags; ++tag) {
    if (type != RTE_BE16(RTE_ETHER_TYPE_VLAN) && type != RTE_BE16(RTE_ETHER_TYPE_QINQ)) break;
    rte_vlan_hdr vlan_copy;
    const auto* vlan = ReadHeader(packet, headers.l2_len, vlan_copy);
    if (vlan == nullptr) return std::nullopt;
    headers.l2_len += kVlanTagBytes;
    type = vlan->eth_proto;
  }
  return type;
}

std::optional<IpHeader> ParseIpv4(const rte_mbuf& packet, uint32_t offset) {
  rte_ipv4_hdr copy;
  const auto* ip = ReadHeader(packet, offset, copy);
  if (ip == nullptr || ip->version != 4) return std::nullopt;
  const uint32_t bytes = rte_ipv4_hdr_len(ip);
  if (bytes < sizeof(rte_ipv4_hdr) || offset + bytes > packet.pkt_len) return std::nullopt;
  constexpr uint16_t kFragment = RTE_BE16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK);
  const bool is_fragment = (ip->fragment_offset & kFragment) != 0;
  return IpHeader{bytes, is_fragment ? kNoProtocol : ip->next_proto_id};
}

std::optional<IpHeader> ParseIpv6(const rte_mbuf& packet, uint32_t offset) {
  rte_ipv6_hdr copy;
  const auto* ip = ReadHeader(packet, offset, copy);
  constexpr uint32_t kVersionMask = RTE_BE32(0xf0000000);
  if (ip == nullptr || (ip->vtc_flow & kVersionMask) != RTE_BE32(0x60000000)) return std::nullopt;
  IpHeader header{sizeof(rte_ipv6_hdr), ip->proto};
  for (uint32_t i = 0; i <= kMaxExtensionHeaders; ++i) {
    if (header.protocol == IPPROTO_FRAGMENT) return IpHeader{header.bytes, kNoProtocol};
    if (header.protocol != IPPROTO_HOPOPTS && header.protocol != IPPROTO_ROUTING &&
        header.protocol != IPPROTO_DSTOPTS) {
      return header;
    }
    struct Extension {
      uint8_t next_header;
      uint8_t length;  // In units of 8 bytes, the first not counted (RFC 8200, 4.3).
    } extension_copy;
    const auto* extension = ReadHeader(packet, offset + header.bytes, extension_copy);
    if (extension == nullptr) return std::nullopt;
    header = {header.bytes + (extension->length + 1U) * 8, extension->next_header};
    if (header.bytes > kMaxLayer3Bytes || offset + header.bytes > packet.pkt_len) break;
  }
  return std::nullopt;
}

uint32_t Layer4Bytes(const rte_mbuf& packet, uint32_t offset, uint8_t protocol) {
  uint32_t bytes = 0;
  if (protocol == IPPROTO_UDP) {
    bytes = sizeof(rte_udp_hdr);
  } else if (protocol == IPPROTO_TCP) {
    rte_tcp_hdr copy;
    const auto* tcp = ReadHeader(packet, offset, copy);
    if (tcp == nullptr) return 0;
    bytes = (tcp->data_off >> 4) * 4U;
    if (bytes < sizeof(rte_tcp_hdr)) return 0;
  }
  return offset + bytes <= packet.pkt_len ? bytes : 0;
}

}  // namespace

Headers ParseHeaders(const rte_mbuf& packet) {
  Headers headers;
  const std::optional<uint16_t> type = ParseLayer2(packet, headers);
  std::optional<IpHeader> ip;
  if (type == RTE_BE16(RTE_ETHER_TYPE_IPV4)) ip = ParseIpv4(packet, headers.l2_len);
  if (type == RTE_BE16(RTE_ETHER_TYPE_IPV6)) ip = ParseIpv6(packet, headers.l2_len);
  if (!ip.has_value()) return headers;
  headers.ip_version = type == RTE_BE16(RTE_ETHER_TYPE_IPV4) ? 4 : 6;
  headers.l3_len = ip->bytes;
  headers.l4_protocol = ip->protocol;
  headers.l4_len = Layer4Bytes(packet, headers.l2_len + headers.l3_len, headers.l4_protocol);
  return headers;
}

}  // namespace wakegate
