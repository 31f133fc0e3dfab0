// VLAN tags.
#ifndef DATAPLANE_PACKET_VLAN_H_
#define DATAPLANE_PACKET_VLAN_H_

#include <rte_mbuf.h>

#include <cstdint>

namespace wakegate {

// Puts a tag behind the MAC addresses, before any tags that are there: `tpid` is 0x8100 (802.1Q),
// 0x88a8 (802.1ad) or what else the packet came with, `tci` priority, DEI and VLAN id, both in the
// CPU's byte order. The addresses move 4 bytes into the headroom; l2_len grows where the packet
// asks for an offload. False, with the packet unchanged, where it is a runt or has no such
// headroom. Whoever owns the packet.
bool InsertVlanTag(rte_mbuf& packet, uint16_t tpid, uint16_t tci);

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_VLAN_H_
