#include "dataplane/ports/memory/ring.h"

#include <utility>

namespace wakegate {

absl::StatusOr<std::unique_ptr<MemoryRing>> MemoryRing::Create(uint32_t packets) {
  absl::StatusOr<std::unique_ptr<Doorbell>> packets_bell = Doorbell::Create();
  if (!packets_bell.ok()) return packets_bell.status();
  absl::StatusOr<std::unique_ptr<Doorbell>> room_bell = Doorbell::Create();
  if (!room_bell.ok()) return room_bell.status();
  absl::StatusOr<PacketRing> ring = PacketRing::Create(packets);
  if (!ring.ok()) return ring.status();
  return std::unique_ptr<MemoryRing>(
      new MemoryRing(*std::move(ring), *std::move(packets_bell), *std::move(room_bell)));
}

MemoryRing::MemoryRing(PacketRing packets, std::unique_ptr<Doorbell> packets_bell,
                       std::unique_ptr<Doorbell> room_bell)
    : packets_(std::move(packets)),
      packets_bell_(std::move(packets_bell)),
      room_bell_(std::move(room_bell)) {}

uint32_t MemoryRing::Get(std::span<rte_mbuf*> packets) {
  const uint32_t got = packets_.Get(packets);
  if (got != 0) room_bell_->Ring();
  return got;
}

}  // namespace wakegate
