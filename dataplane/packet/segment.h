// Cuts a packet that asks for it (offload.h) into packets that each fit the link.
// docs/decisions/0001-own-segmentation.md says why it is not rte_gso. Any thread that owns the
// packet.
#ifndef DATAPLANE_PACKET_SEGMENT_H_
#define DATAPLANE_PACKET_SEGMENT_H_

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <cstdint>
#include <span>

namespace wakegate {

// More segments than this out of one packet are not honest: 64 KB in pieces of 64 bytes. A guest
// that asks for pieces of one byte would occupy the worker and the pool.
inline constexpr uint32_t kMaxSegments = 1024;

// How many segments the packet asks for. 0 where its flags, lengths and bytes do not fit each
// other, where it has no payload, and for more than kMaxSegments.
uint32_t CountSegments(const rte_mbuf& packet);

// The bytes of the largest segment. CountSegments is not 0.
uint32_t LargestSegmentBytes(const rte_mbuf& packet);

// Copies the packet into `segments`, as many as CountSegments says (not 0), each complete: lengths,
// IPv4 identification and header checksum, TCP sequence number and flags, UDP length, checksum.
// Each is one mbuf where it fits one, and asks for nothing. False where `pool` has too few buffers;
// then there are no segments. The caller owns the segments and still the packet.
bool Segment(const rte_mbuf& packet, rte_mempool* pool, std::span<rte_mbuf*> segments);

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_SEGMENT_H_
