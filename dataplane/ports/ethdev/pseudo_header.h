// The sum of the pseudo header, where drivers and the gateway want it.
#ifndef DATAPLANE_PORTS_ETHDEV_PSEUDO_HEADER_H_
#define DATAPLANE_PORTS_ETHDEV_PSEUDO_HEADER_H_

#include <rte_mbuf.h>

namespace wakegate {

// Stores the sum in the checksum field of a packet that asks for a TCP or UDP checksum (offload.h).
// `with_length`: as the gateway has it, and DPDK for a packet that is not segmented. Without: as
// DPDK has it for one that is (rte_mbuf_core.h, RTE_MBUF_F_TX_TCP_SEG). False where the packet ends
// before. Whoever owns the packet.
bool StorePseudoHeaderSum(rte_mbuf& packet, bool with_length);

// Turns a packet that asks for segmentation from the gateway's form to DPDK's: the sum and, with
// `ipv4_checksum`, a request for the IPv4 checksum, which is 0 then. False as above. Idempotent.
bool PrepareSegmentation(rte_mbuf& packet, bool ipv4_checksum);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_PSEUDO_HEADER_H_
