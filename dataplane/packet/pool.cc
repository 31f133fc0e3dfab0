#include "dataplane/packet/pool.h"

#include <rte_eal.h>
#include <rte_errno.h>

#include <algorithm>
#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

// Buffers that each worker may keep for itself. A small pool is not to vanish into the caches.
uint32_t CacheSize(uint32_t count) { return std::min(256U, count / 8); }

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
  rte_mempool_calc_obj_size(sizeof(rte_mbuf) + RTE_PKTMBUF_HEADROOM + kDataRoomBytes, 0, &size);
  // A buffer does not cross a page (rte_mempool_op_populate_helper), and a page of 4 KB holds one.
  // Hugepages have 2 MB or more, of which the end does not count.
  if (rte_eal_has_hugepages()) return uint64_t{count} * size.total_size;
  constexpr uint64_t kPageBytes = 4096;
  return uint64_t{count} * kPageBytes;
}

absl::StatusOr<PacketPool> PacketPool::Create(const std::string& name, uint32_t count, int socket) {
  rte_mempool* pool =
      rte_pktmbuf_pool_create(name.c_str(), count, CacheSize(count), /*priv_size=*/0,
                              RTE_PKTMBUF_HEADROOM + kDataRoomBytes, socket);
  if (pool == nullptr) return CreateError(name, count, socket, rte_errno);
  return PacketPool(pool);
}

}  // namespace wakegate
