// What a driver says of a received packet, made what the gateway says of it.
#ifndef DATAPLANE_PORTS_ETHDEV_RECEIVED_H_
#define DATAPLANE_PORTS_ETHDEV_RECEIVED_H_

#include <rte_mbuf.h>

#include <cstdint>

#include "gateway/ledger/names.h"

namespace wakegate {

// As NormalizeReceived, for a packet whose flags say that there is something to do.
bool NormalizeUnusual(rte_mbuf& packet, ledger::DropReason& reason);

// Turns the Rx flags into what offload.h says: a checksum that is left to us and what the device or
// its peer has merged become a request, and VLAN tags that were taken out are put in again. All
// other flags are cleared, also Tx flags of whoever had the buffer before (net_ring). False, with
// the reason: it cannot be given on. Whoever owns the packet.
//
// No std::optional: GCC 12 has each packet wait for it to be written to the stack and read again.
inline bool NormalizeReceived(rte_mbuf& packet, ledger::DropReason& reason) {
  // They say how the buffer is attached.
  constexpr uint64_t kBufferFlags = RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
  constexpr uint64_t kUnusual =
      RTE_MBUF_F_RX_LRO | RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ_STRIPPED;
  const uint64_t flags = packet.ol_flags;
  const bool partial_checksum =
      (flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_NONE;
  if (partial_checksum || (flags & kUnusual) != 0) [[unlikely]]
    return NormalizeUnusual(packet, reason);
  packet.ol_flags = flags & kBufferFlags;
  return true;
}

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_RECEIVED_H_
