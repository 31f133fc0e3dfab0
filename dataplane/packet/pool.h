// The packet buffers of one NUMA node.
#ifndef DATAPLANE_PACKET_POOL_H_
#define DATAPLANE_PACKET_POOL_H_

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace wakegate {

// Packet bytes that a buffer takes behind its headroom: a whole frame at MTU 1500, tags included.
inline constexpr uint16_t kDataRoomBytes = 2048;

// A mempool of mbufs with RTE_PKTMBUF_HEADROOM bytes of headroom and kDataRoomBytes of room.
// Made, asked and destroyed on the control thread, after EAL has started; buffers are taken and
// given back by any thread.
class PacketPool {
 public:
  // `name`: at most 25 characters, unique in the process. `count` > 0 buffers on NUMA node
  // `socket`, or on any with SOCKET_ID_ANY. RESOURCE_EXHAUSTED where there is too little memory,
  // with how much it takes.
  static absl::StatusOr<PacketPool> Create(const std::string& name, uint32_t count, int socket);

  // The memory that `count` buffers take.
  static uint64_t BytesNeeded(uint32_t count);

  rte_mempool* get() const { return pool_.get(); }
  uint32_t count() const { return pool_->size; }
  // Exact while nobody takes or gives back.
  uint32_t available() const { return rte_mempool_avail_count(pool_.get()); }

 private:
  // Frees the memory: no buffer is in use any more.
  struct Free {
    void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
  };

  explicit PacketPool(rte_mempool* pool) : pool_(pool) {}

  std::unique_ptr<rte_mempool, Free> pool_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_POOL_H_
