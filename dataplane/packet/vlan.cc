#include "dataplane/packet/vlan.h"

#include <rte_byteorder.h>
#include <rte_ether.h>

#include <cstring>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/headers.h"
#include "dataplane/packet/offload.h"

namespace wakegate {

// Not rte_vlan_insert (22.11): it knows 802.1Q only.
bool InsertVlanTag(rte_mbuf& packet, uint16_t tpid, uint16_t tci) {
  struct TaggedStart {
    uint8_t addresses[2 * RTE_ETHER_ADDR_LEN];
    rte_be16_t tpid;
    rte_be16_t tci;
  } start = {{}, rte_cpu_to_be_16(tpid), rte_cpu_to_be_16(tci)};
  static_assert(sizeof(start) == 2 * RTE_ETHER_ADDR_LEN + kVlanTagBytes);

  if (packet.pkt_len < kEthernetBytes) return false;
  decltype(start.addresses) copy;
  std::memcpy(start.addresses, ReadHeader(packet, 0, copy), sizeof(start.addresses));
  if (rte_pktmbuf_prepend(&packet, kVlanTagBytes) == nullptr) return false;
  WriteBytes(packet, 0, &start, sizeof(start));
  if (HasOffload(packet)) packet.l2_len += kVlanTagBytes;
  return true;
}

}  // namespace wakegate
