#include "dataplane/packet/packet_from_bytes.h"

#include <algorithm>

namespace wakegate {
namespace {

// Moves as much as fits from the front of `bytes` into a fresh buffer.
void Fill(rte_mbuf& buffer, std::span<const uint8_t>& bytes) {
  const auto size =
      static_cast<uint16_t>(std::min<std::size_t>(bytes.size(), rte_pktmbuf_tailroom(&buffer)));
  std::copy_n(bytes.begin(), size, rte_pktmbuf_mtod(&buffer, uint8_t*));
  buffer.data_len = size;
  bytes = bytes.subspan(size);
}

}  // namespace

rte_mbuf* PacketFromBytes(std::span<const uint8_t> bytes, rte_mempool* pool) {
  rte_mbuf* packet = rte_pktmbuf_alloc(pool);
  if (packet == nullptr) return nullptr;
  packet->pkt_len = static_cast<uint32_t>(bytes.size());
  Fill(*packet, bytes);
  for (rte_mbuf* last = packet; !bytes.empty(); last = last->next) {
    last->next = rte_pktmbuf_alloc(pool);
    if (last->next == nullptr) {
      rte_pktmbuf_free(packet);
      return nullptr;
    }
    ++packet->nb_segs;
    Fill(*last->next, bytes);
  }
  return packet;
}

}  // namespace wakegate
