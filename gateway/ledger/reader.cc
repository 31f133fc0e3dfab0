#include "gateway/ledger/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace wakegate::ledger {
namespace {

// Copies memory that another process writes, one whole counter at a time.
void CopyShared(void* to, const void* from, std::size_t size) {
  auto* to_words = static_cast<uint64_t*>(to);
  const auto* from_words = static_cast<const uint64_t*>(from);
  for (std::size_t i = 0; i < size / sizeof(uint64_t); ++i) {
    to_words[i] = __atomic_load_n(from_words + i, __ATOMIC_RELAXED);
  }
}

bool IsOdd(uint32_t generation) { return (generation & 1) != 0; }

auto SortKey(const SlotSnapshot& slot) {
  const SlotIdentity& id = slot.identity();
  return std::make_tuple(id.kind, std::string_view(id.port), id.queue, id.worker);
}

// Whether all of it was copied while nothing came or went.
bool TryTake(const LedgerFile& file, Snapshot& snapshot) {
  const uint32_t before = file.header.retired_generation.load(std::memory_order_acquire);
  if (IsOdd(before)) return false;
  snapshot.slots.clear();
  CopyShared(snapshot.retired.get(), &file.header.retired, sizeof(Retired));
  for (const Slot& slot : file.slots) {
    const uint32_t generation = slot.generation.load(std::memory_order_acquire);
    if (IsOdd(generation)) return false;
    if (slot.identity.kind == SlotKind::kFree) continue;
    SlotSnapshot copy(slot);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (slot.generation.load(std::memory_order_relaxed) != generation) return false;
    snapshot.slots.push_back(std::move(copy));
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return file.header.retired_generation.load(std::memory_order_relaxed) == before;
}

}  // namespace

SlotSnapshot::SlotSnapshot(const Slot& slot) : slot_(new Slot) {
  CopyShared(slot_.get(), &slot, sizeof(Slot));
  slot_->identity.port[kPortNameSize - 1] = 0;  // A torn copy is discarded, but is read before.
}

absl::StatusOr<std::unique_ptr<Reader>> Reader::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("open the ledger ", path));
  struct stat file_stat = {};
  void* map = MAP_FAILED;
  if (fstat(fd, &file_stat) == 0 && file_stat.st_size >= static_cast<off_t>(sizeof(LedgerFile))) {
    map = mmap(nullptr, sizeof(LedgerFile), PROT_READ, MAP_SHARED, fd, 0);
  }
  close(fd);
  if (map == MAP_FAILED) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " has ", file_stat.st_size, " bytes, a ledger of this build has ", sizeof(LedgerFile),
        "; use wakegate-dataplane and wakegate-mgmt of the same version"));
  }
  const auto* file = static_cast<const LedgerFile*>(map);
  std::unique_ptr<Reader> reader(new Reader(file));
  if (file->header.magic != kMagic || file->header.layout_hash != kLayoutHash) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " has another layout (magic ", absl::Hex(file->header.magic), ", layout ",
        absl::Hex(file->header.layout_hash), "; this build reads ", absl::Hex(kLayoutHash),
        "); use wakegate-dataplane and wakegate-mgmt of the same version"));
  }
  return reader;
}

Reader::~Reader() { munmap(const_cast<LedgerFile*>(file_), sizeof(LedgerFile)); }

Snapshot Reader::Take() const {
  Snapshot snapshot;
  snapshot.retired = std::make_unique<Retired>();
  // Changes are rare and take microseconds; the bound is for a writer that died within one.
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts && !TryTake(*file_, snapshot); ++attempt) {
    usleep(100);
  }
  std::sort(snapshot.slots.begin(), snapshot.slots.end(),
            [](const auto& a, const auto& b) { return SortKey(a) < SortKey(b); });
  return snapshot;
}

}  // namespace wakegate::ledger
