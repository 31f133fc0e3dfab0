// Chains into one mbuf, for ports that take no others.
#ifndef DATAPLANE_PACKET_LINEARIZE_H_
#define DATAPLANE_PACKET_LINEARIZE_H_

#include <rte_mbuf.h>
#include <rte_mempool.h>

namespace wakegate {

// Whether a packet of this length fits one buffer of the pool, behind its headroom. Longer ones
// cannot leave by a port without chains: they are too long for it (kTooLong), whatever its MTU,
// since no wait for buffers would help.
bool FitsOneBuffer(uint32_t packet_bytes, rte_mempool* pool);

// The packet, which fits one buffer, as one mbuf: `packet` itself where its first mbuf has room for
// the rest, else a copy in place of it. Flags and lengths are kept. Null where no buffer is free;
// then `packet` is unchanged and still the caller's. Whoever owns the packet.
rte_mbuf* Linearize(rte_mbuf* packet, rte_mempool* pool);

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_LINEARIZE_H_
