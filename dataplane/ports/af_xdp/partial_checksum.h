// Partial checksums that nobody tells of.
#ifndef DATAPLANE_PORTS_AF_XDP_PARTIAL_CHECKSUM_H_
#define DATAPLANE_PORTS_AF_XDP_PARTIAL_CHECKSUM_H_

#include <rte_mbuf.h>

namespace wakegate {

// The stack at the other end of a veth leaves TCP and UDP checksums to the device: the field holds
// the sum of the pseudo header. An XDP program sees the bytes but not the kernel's note of it
// (CHECKSUM_PARTIAL in linux/skbuff.h). So a packet whose field holds just that sum asks for its
// checksum from now on (offload.h). A whole checksum may by chance be the same number: then it is
// computed anew, with the same result. Whoever owns the packet, which has no offload flags.
void FindPartialChecksum(rte_mbuf& packet);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_PARTIAL_CHECKSUM_H_
