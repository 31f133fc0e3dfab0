// The sum of the pseudo header, which a partial checksum is (offload.h).
#ifndef DATAPLANE_PACKET_PSEUDO_HEADER_H_
#define DATAPLANE_PACKET_PSEUDO_HEADER_H_

#include <rte_mbuf.h>

#include <cstdint>
#include <optional>

namespace wakegate {

// Of a packet whose flags and lengths ask for a TCP or UDP checksum, folded, in the packet's byte
// order. `with_length`: as the gateway has it, and DPDK for a packet that is not segmented.
// Without: as DPDK has it for one that is (rte_mbuf_core.h, RTE_MBUF_F_TX_TCP_SEG). Nothing where
// the packet ends within its IP header. Any thread that owns the packet.
std::optional<uint16_t> PseudoHeaderSum(const rte_mbuf& packet, bool with_length);

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_PSEUDO_HEADER_H_
