#include "dataplane/ports/af_xdp/partial_checksum.h"

#include <netinet/in.h>

#include <cstdint>
#include <optional>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/headers.h"
#include "dataplane/packet/offload.h"
#include "dataplane/packet/pseudo_header.h"

namespace wakegate {

void FindPartialChecksum(rte_mbuf& packet) {
  const Headers headers = ParseHeaders(packet);
  if (headers.l4_len == 0) return;
  const bool tcp = headers.l4_protocol == IPPROTO_TCP;
  packet.ol_flags |= headers.ip_version == 4 ? RTE_MBUF_F_TX_IPV4 : RTE_MBUF_F_TX_IPV6;
  packet.ol_flags |= tcp ? RTE_MBUF_F_TX_TCP_CKSUM : RTE_MBUF_F_TX_UDP_CKSUM;
  packet.l2_len = headers.l2_len;
  packet.l3_len = headers.l3_len;
  packet.l4_len = headers.l4_len;
  const std::optional<uint16_t> sum = PseudoHeaderSum(packet, /*with_length=*/true);
  uint16_t copy = 0;
  const uint16_t* field = ReadHeader(
      packet, headers.l2_len + headers.l3_len + (tcp ? kTcpChecksumOffset : kUdpChecksumOffset),
      copy);
  if (!sum || field == nullptr || *field != *sum) packet.ol_flags &= ~kOffloadFlags;
}

}  // namespace wakegate
