#include "dataplane/packet/pool.h"

#include <rte_eal.h>
#include <rte_errno.h>

#include <algorithm>
#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

constexpr uint16_t kRoomBytes = RTE_PKTMBUF_HEADROOM + kDataRoomBytes;
constexpr uint32_t kElementBytes = sizeof(rte_mbuf) + kRoomBytes;

// Buffers that each worker may keep for itself. A small pool is not to vanish into the caches.
uint32_t CacheSize(uint32_t count) { return std::min(256U, count / 8); }

// Whether all of EAL's memory is one range for devices too, as without hugepages. A mempool does
// not know, and lays a buffer in each page of 4 KB: they take nearly twice the memory, and all
// their headers are in one set of the first-level cache, which halves the packet rate.
bool IsOneRange() { return !rte_eal_has_hugepages() && rte_eal_iova_mode() == RTE_IOVA_VA; }

// As rte_pktmbuf_pool_create, but for pages. Null with rte_errno where that fails.
rte_mempool* CreateInOneRange(const std::string& name, uint32_t count, int socket) {
  // It is the only flag that lets buffers cross pages.
  constexpr unsigned kFlags = RTE_MEMPOOL_F_NO_IOVA_CONTIG;
  rte_mempool* pool = rte_mempool_create_empty(name.c_str(), count, kElementBytes, CacheSize(count),
                                               sizeof(rte_pktmbuf_pool_private), socket, kFlags);
  if (pool == nullptr) return nullptr;
  rte_pktmbuf_pool_init(pool, nullptr);
  const uint64_t bytes = PacketPool::BytesNeeded(count);
  const rte_memzone* memory = rte_memzone_reserve_aligned(
      absl::StrCat("MP_", name, "_0").c_str(), bytes, socket, /*flags=*/0, RTE_MEMPOOL_ALIGN);
  const auto free_memory = [](rte_mempool_memhdr*, void* zone) {
    rte_memzone_free(static_cast<const rte_memzone*>(zone));
  };
  const int added = memory == nullptr ? -rte_errno
                                      : rte_mempool_populate_iova(
                                            pool, static_cast<char*>(memory->addr), memory->iova,
                                            bytes, free_memory, const_cast<rte_memzone*>(memory));
  if (added != static_cast<int>(count)) {
    if (added <= 0) rte_memzone_free(memory);
    rte_mempool_free(pool);
    rte_errno = added < 0 ? -added : ENOMEM;
    return nullptr;
  }
  rte_mempool_obj_iter(pool, rte_pktmbuf_init, nullptr);
  return pool;
}

absl::Status CreateError(const std::string& name, uint32_t count, int socket, int error) {
  constexpr uint64_t kMegabyte = 1 << 20;
  const std::string what = absl::StrCat(
      "packet pool ", name, ": ", count, " buffers, ",
      (PacketPool::BytesNeeded(count) + kMegabyte - 1) / kMegabyte, " MB, on NUMA node ",
      socket == SOCKET_ID_ANY ? "any" : absl::StrCat(socket), ": ", rte_strerror(error));
  if (error != ENOMEM) {
    return error == EEXIST ? absl::AlreadyExistsError(what) : absl::InvalidArgumentError(what);
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      what, rte_eal_has_hugepages()
                ? "; reserve more hugepages on that node (vm.nr_hugepages) or ask for fewer buffers"
                : "; reserve hugepages (vm.nr_hugepages), give EAL more memory (-m), or ask for "
                  "fewer buffers"));
}

}  // namespace

uint64_t PacketPool::BytesNeeded(uint32_t count) {
  rte_mempool_objsz size;
  rte_mempool_calc_obj_size(kElementBytes, 0, &size);
  // Hugepages have 2 MB or more, of which the end does not count.
  return uint64_t{count} * size.total_size;
}

absl::StatusOr<PacketPool> PacketPool::Create(const std::string& name, uint32_t count, int socket) {
  PacketPool pool(IsOneRange() ? CreateInOneRange(name, count, socket)
                               : rte_pktmbuf_pool_create(name.c_str(), count, CacheSize(count),
                                                         /*priv_size=*/0, kRoomBytes, socket));
  if (pool.get() == nullptr) return CreateError(name, count, socket, rte_errno);
  return pool;
}

}  // namespace wakegate
