#include "dataplane/ports/af_xdp/buffer_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace wakegate {
namespace {

struct Range {
  uintptr_t first = UINTPTR_MAX;
  uintptr_t end = 0;
};

void Extend(rte_mempool*, void* range, rte_mempool_memhdr* memory, unsigned) {
  auto& all = *static_cast<Range*>(range);
  const auto first = reinterpret_cast<uintptr_t>(memory->addr);
  all.first = std::min(all.first, first);
  all.end = std::max(all.end, first + memory->len);
}

}  // namespace

// The pages belong to EAL, which maps whole ones.
BufferMemory MemoryOf(rte_mempool* pool) {
  Range range;
  rte_mempool_mem_iter(pool, Extend, &range);
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = range.first / page * page;
  const uintptr_t end = (range.end + page - 1) / page * page;
  return {.pool = pool,
          .start = reinterpret_cast<uint8_t*>(first),
          .bytes = end - first,
          .frame_bytes = rte_pktmbuf_data_room_size(pool)};
}

}  // namespace wakegate
