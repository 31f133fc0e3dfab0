// What a packet in the gateway still asks of whoever sends it: the mbuf's Tx offload flags, from
// the moment it is received.
//
// - Partial checksum: RTE_MBUF_F_TX_TCP_CKSUM or RTE_MBUF_F_TX_UDP_CKSUM (within
//   RTE_MBUF_F_TX_L4_MASK) with RTE_MBUF_F_TX_IPV4 or _IPV6, and l2_len (VLAN tags included),
//   l3_len. The checksum field holds the folded sum of the pseudo header, with the length, as
//   virtio 1.1, 5.1.6.2 asks; software may as well compute the whole checksum anew.
// - Segmentation: RTE_MBUF_F_TX_TCP_SEG or RTE_MBUF_F_TX_UDP_SEG in addition, with l4_len and
//   tso_segsz (payload bytes of each segment).
// - The packet may be a chain.
// Any other flag means nothing here; drivers clear them when they receive.
#ifndef DATAPLANE_PACKET_OFFLOAD_H_
#define DATAPLANE_PACKET_OFFLOAD_H_

#include <rte_mbuf.h>

#include <cstdint>

namespace wakegate {

inline constexpr uint64_t kSegmentationFlags = RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_UDP_SEG;
// All that ask for something or say how.
inline constexpr uint64_t kOffloadFlags =
    kSegmentationFlags | RTE_MBUF_F_TX_L4_MASK | RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IPV6;

// Whether the packet asks for anything.
inline bool HasOffload(const rte_mbuf& packet) {
  return (packet.ol_flags & (RTE_MBUF_F_TX_L4_MASK | kSegmentationFlags)) != 0;
}
inline bool AsksForSegmentation(const rte_mbuf& packet) {
  return (packet.ol_flags & kSegmentationFlags) != 0;
}

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_OFFLOAD_H_
