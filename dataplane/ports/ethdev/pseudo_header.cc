#include "dataplane/ports/ethdev/pseudo_header.h"

#include <rte_ip.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/pseudo_header.h"

namespace wakegate {

bool StorePseudoHeaderSum(rte_mbuf& packet, bool with_length) {
  const bool tcp = (packet.ol_flags & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_TCP_CKSUM;
  const auto field = static_cast<uint32_t>(packet.l2_len + packet.l3_len +
                                           (tcp ? kTcpChecksumOffset : kUdpChecksumOffset));
  const std::optional<uint16_t> sum = PseudoHeaderSum(packet, with_length);
  if (!sum || packet.pkt_len < field + sizeof(*sum)) return false;
  WriteBytes(packet, field, &*sum, sizeof(*sum));
  return true;
}

bool PrepareSegmentation(rte_mbuf& packet, bool ipv4_checksum) {
  if (!StorePseudoHeaderSum(packet, /*with_length=*/false)) return false;
  if (!ipv4_checksum || (packet.ol_flags & RTE_MBUF_F_TX_IPV4) == 0) return true;
  packet.ol_flags |= RTE_MBUF_F_TX_IP_CKSUM;
  const uint16_t zero = 0;
  WriteBytes(packet, packet.l2_len + offsetof(rte_ipv4_hdr, hdr_checksum), &zero, sizeof(zero));
  return true;
}

}  // namespace wakegate
