// One direction of one queue pair of a cable: packets from one worker to another, or to itself.
#ifndef DATAPLANE_PORTS_MEMORY_RING_H_
#define DATAPLANE_PORTS_MEMORY_RING_H_

#include <rte_mbuf.h>

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "dataplane/packet/packet_ring.h"
#include "dataplane/wakeup/doorbell.h"
#include "dataplane/wakeup/ready_word.h"

namespace wakegate {

// A PacketRing whose two sides may sleep.
class MemoryRing {
 public:
  static absl::StatusOr<std::unique_ptr<MemoryRing>> Create(uint32_t packets);

  // The producer. Wakes nobody: packets_bell().Ring() does.
  uint32_t Put(std::span<rte_mbuf* const> packets) { return packets_.Put(packets); }
  bool HasRoom() const { return packets_.HasRoom(); }

  // The consumer. Wakes a producer that waits for room.
  uint32_t Get(std::span<rte_mbuf*> packets);
  bool HasPackets() const { return !packets_.empty(); }
  ReadyWord ready_word() const {
    return {packets_.producer_index(), ~uint32_t{0}, packets_.consumer_index()};
  }

  // Rung by the producer for the consumer, and the other way round.
  Doorbell& packets_bell() { return *packets_bell_; }
  Doorbell& room_bell() { return *room_bell_; }

  // Control, where there is no consumer: frees all that is in it.
  void Purge() { packets_.Purge(); }

 private:
  MemoryRing(PacketRing packets, std::unique_ptr<Doorbell> packets_bell,
             std::unique_ptr<Doorbell> room_bell);

  PacketRing packets_;
  std::unique_ptr<Doorbell> packets_bell_;
  std::unique_ptr<Doorbell> room_bell_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_MEMORY_RING_H_
