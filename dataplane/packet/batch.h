// A burst of packets on its way through the gateway.
#ifndef DATAPLANE_PACKET_BATCH_H_
#define DATAPLANE_PACKET_BATCH_H_

#include <rte_mbuf.h>

#include <cassert>
#include <cstdint>
#include <span>

namespace wakegate {

// The largest burst, and the upper end of the knob burst_size.
inline constexpr uint32_t kMaxBurst = 64;

// Pointers to packets, in order. Owns none of them by itself: whoever holds the batch passes each
// packet on or frees it. One thread.
class Batch {
 public:
  // `limit`: how many packets it takes, 1 to kMaxBurst.
  explicit Batch(uint32_t limit = kMaxBurst) : limit_(limit) { assert(limit <= kMaxBurst); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void Append(rte_mbuf* packet) {
    assert(!full());
    packets_[size_++] = packet;
  }
  void Clear() { size_ = 0; }

  uint32_t size() const { return size_; }
  uint32_t room() const { return limit_ - size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ >= limit_; }

  rte_mbuf* operator[](uint32_t i) const { return packets_[i]; }
  std::span<rte_mbuf*> packets() { return {packets_, size_}; }
  rte_mbuf** data() { return packets_; }
  // After writing packets to data() directly.
  void set_size(uint32_t size) { size_ = size; }

 private:
  uint32_t size_ = 0;
  const uint32_t limit_;
  rte_mbuf* packets_[kMaxBurst];
};

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_BATCH_H_
