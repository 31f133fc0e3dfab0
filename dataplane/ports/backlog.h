// Packets that wait for their turn.
#ifndef DATAPLANE_PORTS_BACKLOG_H_
#define DATAPLANE_PORTS_BACKLOG_H_

#include <rte_mbuf.h>

#include <array>
#include <cassert>
#include <cstdint>

namespace wakegate {

// First in, first out. Whoever pops a packet owns it. One thread.
class Backlog {
 public:
  static constexpr uint32_t kPackets = 256;

  bool empty() const { return pushed_ == popped_; }
  bool full() const { return size() == kPackets; }
  uint32_t size() const { return pushed_ - popped_; }

  rte_mbuf& front() const {
    assert(!empty());
    return *packets_[popped_ % kPackets];
  }
  void Push(rte_mbuf* packet) {
    assert(!full());
    packets_[pushed_++ % kPackets] = packet;
  }
  rte_mbuf* Pop() {
    assert(!empty());
    return packets_[popped_++ % kPackets];
  }

 private:
  std::array<rte_mbuf*, kPackets> packets_;
  uint32_t pushed_ = 0;
  uint32_t popped_ = 0;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_BACKLOG_H_
