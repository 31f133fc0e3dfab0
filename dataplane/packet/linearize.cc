#include "dataplane/packet/linearize.h"

#include <cstdint>

namespace wakegate {

bool FitsOneBuffer(uint32_t packet_bytes, rte_mempool* pool) {
  return packet_bytes + RTE_PKTMBUF_HEADROOM <= rte_pktmbuf_data_room_size(pool);
}

rte_mbuf* Linearize(rte_mbuf* packet, rte_mempool* pool) {
  // rte_pktmbuf_linearize writes behind the first mbuf's data, which must then be ours alone.
  const bool own = RTE_MBUF_DIRECT(packet) && rte_mbuf_refcnt_read(packet) == 1;
  if (own && rte_pktmbuf_linearize(packet) == 0) return packet;
  rte_mbuf* copy = rte_pktmbuf_copy(packet, pool, 0, UINT32_MAX);
  if (copy != nullptr) rte_pktmbuf_free(packet);
  return copy;
}

}  // namespace wakegate
