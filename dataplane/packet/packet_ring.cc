#include "dataplane/packet/packet_ring.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "dataplane/packet/batch.h"

namespace wakegate {

absl::StatusOr<PacketRing> PacketRing::Create(uint32_t packets) {
  // A plain rte_ring of N holds N - 1 packets; with RING_F_EXACT_SZ it holds N.
  constexpr unsigned kFlags = RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ;
  const ssize_t bytes = rte_ring_get_memsize(rte_align32pow2(packets + 1));
  if (bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat("a ring of ", packets, " packets is refused"));
  }
  void* memory = rte_malloc("packet_ring", static_cast<size_t>(bytes), RTE_CACHE_LINE_SIZE);
  if (memory == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory for a ring of ", packets,
                                                     " packets (", bytes,
                                                     " bytes); start with more --memory"));
  }
  auto* ring = static_cast<rte_ring*>(memory);
  if (rte_ring_init(ring, "packet_ring", packets, kFlags) != 0) {
    rte_free(memory);
    return absl::InvalidArgumentError(absl::StrCat("a ring of ", packets, " packets is refused"));
  }
  return PacketRing(ring);
}

PacketRing::~PacketRing() {
  if (ring_ != nullptr) Purge();
}

uint32_t PacketRing::Purge() {
  rte_mbuf* packets[kMaxBurst];
  uint32_t purged = 0;
  while (const uint32_t got = Get(packets)) {
    rte_pktmbuf_free_bulk(packets, got);
    purged += got;
  }
  return purged;
}

}  // namespace wakegate
