#include "dataplane/ports/af_xdp/buffer_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace wakegate {
namespace {

struct Range {
  uint8_t* start = nullptr;
  uint8_t* end = nullptr;
};

void Extend(rte_mempool*, void* range, rte_mempool_memhdr* memory, unsigned) {
  auto& all = *static_cast<Range*>(range);
  auto* const start = static_cast<uint8_t*>(memory->addr);
  uint8_t* const end = start + memory->len;
  all.start = all.start == nullptr ? start : std::min(all.start, start);
  all.end = std::max(all.end, end);
}

}  // namespace

// The pages belong to EAL, which maps whole ones.
BufferMemory MemoryOf(rte_mempool* pool) {
  Range range;
  rte_mempool_mem_iter(pool, Extend, &range);
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uint8_t* const start = range.start - reinterpret_cast<uintptr_t>(range.start) % page;
  const auto bytes = static_cast<std::size_t>(range.end - start);
  return {.pool = pool,
          .start = start,
          .bytes = (bytes + page - 1) / page * page,
          .frame_bytes = rte_pktmbuf_data_room_size(pool)};
}

}  // namespace wakegate
