// The packet pool's memory as the kernel's AF_XDP sees it, so that a frame is an mbuf.
#ifndef DATAPLANE_PORTS_AF_XDP_BUFFER_MEMORY_H_
#define DATAPLANE_PORTS_AF_XDP_BUFFER_MEMORY_H_

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <cstddef>
#include <cstdint>

namespace wakegate {

// Whole pages around all buffers of a pool. A frame (a "chunk" of the kernel, in its unaligned
// mode: Documentation/networking/af_xdp.rst) is the room of an mbuf, its headroom included; its
// address is the offset of the room from `start`. Constant while the pool is there.
struct BufferMemory {
  rte_mempool* pool = nullptr;
  uint8_t* start = nullptr;
  std::size_t bytes = 0;
  uint32_t frame_bytes = 0;

  // No two buffers begin nearer to each other.
  static constexpr uint32_t kLeastDistance = 2048;

  uint64_t AddressOf(const rte_mbuf& buffer) const {
    return static_cast<uint64_t>(static_cast<const uint8_t*>(buffer.buf_addr) - start);
  }
  // Whether the kernel can take this one mbuf, bytes and all, and nobody else uses it.
  bool CanLend(const rte_mbuf& buffer) const {
    return buffer.pool == pool && RTE_MBUF_DIRECT(&buffer) && rte_mbuf_refcnt_read(&buffer) == 1 &&
           buffer.data_len > 0;
  }
};

// Any thread.
BufferMemory MemoryOf(rte_mempool* pool);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_BUFFER_MEMORY_H_
