// A queue of packets between two threads.
#ifndef DATAPLANE_PACKET_PACKET_RING_H_
#define DATAPLANE_PACKET_PACKET_RING_H_

#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"

namespace wakegate {

// Single producer, single consumer, neither ever waits. Owns the packets in it.
class PacketRing {
 public:
  // Holds `packets` packets, a power of two. RESOURCE_EXHAUSTED where there is no memory.
  static absl::StatusOr<PacketRing> Create(uint32_t packets);
  PacketRing(PacketRing&&) = default;
  PacketRing& operator=(PacketRing&&) = default;
  // Neither thread uses it any more. What is left is freed.
  ~PacketRing();

  // The producer. Takes the first packets, as many as there is room for; says how many.
  uint32_t Put(std::span<rte_mbuf* const> packets) {
    return rte_ring_sp_enqueue_burst(ring_.get(), reinterpret_cast<void* const*>(packets.data()),
                                     static_cast<uint32_t>(packets.size()), nullptr);
  }
  bool HasRoom() const {
    return Load(ring_->prod.tail) - Load(ring_->cons.tail) < rte_ring_get_capacity(ring_.get());
  }

  // The consumer. Fills `packets` from the start; says how many.
  uint32_t Get(std::span<rte_mbuf*> packets) {
    return rte_ring_sc_dequeue_burst(ring_.get(), reinterpret_cast<void**>(packets.data()),
                                     static_cast<uint32_t>(packets.size()), nullptr);
  }
  bool empty() const { return Load(ring_->prod.tail) == Load(ring_->cons.tail); }
  // Any thread. How many packets were ever put and taken, modulo 2^32.
  uint32_t put_count() const { return Load(ring_->prod.tail); }
  uint32_t taken_count() const { return Load(ring_->cons.tail); }
  // The index that the producer moves once packets are complete, and our own: equal when empty.
  const uint32_t* producer_index() const { return const_cast<uint32_t*>(&ring_->prod.tail); }
  uint32_t consumer_index() const { return ring_->cons.tail; }

  // The consumer: frees all that is in it; says how many packets that were.
  uint32_t Purge();

 private:
  struct Free {
    void operator()(rte_ring* ring) const { rte_free(ring); }
  };
  explicit PacketRing(rte_ring* ring) : ring_(ring) {}

  // An index that the other thread moves. rte_ring_empty and the like read it without an atomic
  // load; that is the same instruction, but a race by the language's rules.
  static uint32_t Load(const volatile uint32_t& index) {
    return __atomic_load_n(&index, __ATOMIC_RELAXED);
  }

  std::unique_ptr<rte_ring, Free> ring_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_PACKET_RING_H_
