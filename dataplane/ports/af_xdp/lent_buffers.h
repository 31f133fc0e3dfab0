// Which buffers the kernel has, of one direction of one queue.
#ifndef DATAPLANE_PORTS_AF_XDP_LENT_BUFFERS_H_
#define DATAPLANE_PORTS_AF_XDP_LENT_BUFFERS_H_

#include <rte_mbuf.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "dataplane/ports/af_xdp/buffer_memory.h"

namespace wakegate {

// The one place that says so: neither the order in which the kernel gives buffers back nor their
// number can be relied on. Kernels before 6.18, say, do not give back what they find invalid. One
// thread.
class LentBuffers {
 public:
  explicit LentBuffers(const BufferMemory& memory)
      : memory_(memory), buffers_(memory.bytes / BufferMemory::kLeastDistance + 1) {}

  // An mbuf of the memory that is not lent. Returns its address.
  uint64_t Lend(rte_mbuf* buffer) {
    const uint64_t address = memory_.AddressOf(*buffer);
    buffers_[address / BufferMemory::kLeastDistance] = buffer;
    ++count_;
    return address;
  }

  // Null where no buffer at this address is lent.
  rte_mbuf* TakeBack(uint64_t address) {
    const uint64_t place = address / BufferMemory::kLeastDistance;
    if (place >= buffers_.size() || buffers_[place] == nullptr ||
        memory_.AddressOf(*buffers_[place]) != address) {
      return nullptr;
    }
    --count_;
    return std::exchange(buffers_[place], nullptr);
  }

  uint32_t count() const { return count_; }

  // Once the kernel has none of them any more.
  void FreeAll() {
    for (rte_mbuf*& buffer : buffers_) rte_pktmbuf_free(std::exchange(buffer, nullptr));
    count_ = 0;
  }

 private:
  const BufferMemory memory_;
  std::vector<rte_mbuf*> buffers_;  // By address; null: not lent.
  uint32_t count_ = 0;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_LENT_BUFFERS_H_
