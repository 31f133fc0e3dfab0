// The four rings that the kernel and we share for a queue, and their socket.
#ifndef DATAPLANE_PORTS_AF_XDP_RINGS_H_
#define DATAPLANE_PORTS_AF_XDP_RINGS_H_

#include <xdp/xsk.h>

#include <cstdint>

namespace wakegate {

// libxdp's rings, whose addresses do not change. Of each, one thread uses our side.
struct XdpRings {
  xsk_ring_prod fill = {};        // Buffers for packets, to the kernel.
  xsk_ring_cons rx = {};          // Packets, from it.
  xsk_ring_prod tx = {};          // Packets, to it.
  xsk_ring_cons completion = {};  // Their buffers, back.
  int socket = -1;
};

// Whether the kernel has put nothing there that we have not taken. Acquire.
inline bool IsEmpty(const xsk_ring_cons& ring) {
  return __atomic_load_n(ring.producer, __ATOMIC_ACQUIRE) == ring.cached_cons;
}

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_RINGS_H_
