// Packets on their way from one worker to a transmit queue that another worker owns.
#ifndef DATAPLANE_FORWARDING_HANDOFF_RING_H_
#define DATAPLANE_FORWARDING_HANDOFF_RING_H_

#include <rte_mbuf.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "absl/status/statusor.h"
#include "dataplane/packet/packet_ring.h"
#include "dataplane/wakeup/doorbell.h"
#include "dataplane/wakeup/ready_bitmap.h"

namespace wakegate {

// One for each (sending worker, transmit queue) that needs it. It outlives the plans that name it,
// and is empty when it goes.
class HandoffRing {
 public:
  // As many as a receive ring may hold while its worker was not running.
  static constexpr uint32_t kPackets = 2048;

  // The owner of the transmit queue is told through bit `ready_bit` of `ready`, and rung if he
  // sleeps. Both outlive the ring.
  HandoffRing(PacketRing packets, ReadyBitmap& ready, uint32_t ready_bit, Doorbell& bell)
      : packets_(std::move(packets)), ready_(ready), ready_bit_(ready_bit), bell_(bell) {}

  // The sending worker. Takes the first packets, as many as there is room for; says how many.
  uint32_t Put(std::span<rte_mbuf* const> packets) { return packets_.Put(packets); }
  // The sending worker, after Put. True: the owner slept, and a system call woke him.
  bool TellOwner() {
    ready_.Set(ready_bit_);
    return bell_.Ring();
  }

  // The owner. Fills `packets` from the start; says how many.
  uint32_t Take(std::span<rte_mbuf*> packets) { return packets_.Get(packets); }
  bool empty() const { return packets_.empty(); }

  // Any thread. How many packets were ever put, modulo 2^32; whether so many have been taken.
  uint32_t put_count() const { return packets_.put_count(); }
  bool HasTaken(uint32_t put_count) const {
    return static_cast<int32_t>(packets_.taken_count() - put_count) >= 0;
  }

 private:
  PacketRing packets_;
  ReadyBitmap& ready_;
  const uint32_t ready_bit_;
  Doorbell& bell_;
};

}  // namespace wakegate

#endif  // DATAPLANE_FORWARDING_HANDOFF_RING_H_
