#include "gateway/ledger/writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace wakegate::ledger {
namespace {

// Adds all cells of `from` to those of `to`: blocks are nothing but counters.
template <class Block>
void AddBlock(Block& to, const Block& from) {
  static_assert(sizeof(Block) % sizeof(Counter) == 0);
  auto* to_cells = reinterpret_cast<Counter*>(&to);
  const auto* from_cells = reinterpret_cast<const Counter*>(&from);
  for (std::size_t i = 0; i < sizeof(Block) / sizeof(Counter); ++i) {
    to_cells[i].Add(from_cells[i].Get());
  }
}

// Makes `generation` odd for as long as it lives. The fences order it before and after the
// writes in between, for readers that check it on both sides (a seqlock).
class ChangeMark {
 public:
  explicit ChangeMark(std::atomic<uint32_t>& generation) : generation_(generation) {
    generation_.store(generation_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  ~ChangeMark() {
    generation_.store(generation_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  std::atomic<uint32_t>& generation_;
};

void RemoveEarlierLedgers(const std::string& run_dir) {
  DIR* dir = opendir(run_dir.c_str());
  if (dir == nullptr) return;
  while (const dirent* entry = readdir(dir)) {
    if (absl::StartsWith(entry->d_name, "ledger.")) unlinkat(dirfd(dir), entry->d_name, 0);
  }
  closedir(dir);
}

absl::Status ErrnoStatus(std::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(std::string(what), " ", path));
}

absl::StatusOr<LedgerFile*> MapNewFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
  if (fd < 0) return ErrnoStatus("make the ledger", path);
  // Reserved now: a full tmpfs is an error here, not a SIGBUS in a worker later.
  if (const int error = posix_fallocate(fd, 0, sizeof(LedgerFile)); error != 0) {
    errno = error;
    const absl::Status status = ErrnoStatus("reserve space for the ledger", path);
    close(fd);
    unlink(path.c_str());
    return status;
  }
  void* map = mmap(nullptr, sizeof(LedgerFile), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const absl::Status status =
      map == MAP_FAILED ? ErrnoStatus("map the ledger", path) : absl::OkStatus();
  close(fd);
  if (!status.ok()) {
    unlink(path.c_str());
    return status;
  }
  return static_cast<LedgerFile*>(map);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Writer>> Writer::Create(const std::string& run_dir,
                                                       std::string_view boot_id, uint64_t tsc_hz) {
  if (boot_id.size() >= kBootIdSize) {
    return absl::InvalidArgumentError("the boot id does not fit the ledger");
  }
  RemoveEarlierLedgers(run_dir);
  const std::string path = absl::StrCat(run_dir, "/ledger.", std::string(boot_id));
  const std::string unfinished = absl::StrCat(run_dir, "/.ledger.new");
  absl::StatusOr<LedgerFile*> file = MapNewFile(unfinished);
  if (!file.ok()) return file.status();

  Header& header = (*file)->header;
  header.magic = kMagic;
  header.layout_hash = kLayoutHash;
  header.file_size = sizeof(LedgerFile);
  header.tsc_hz = tsc_hz;
  header.start_unix_nanoseconds =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  header.pid = getpid();
  std::memcpy(header.boot_id, boot_id.data(), boot_id.size());
  if (rename(unfinished.c_str(), path.c_str()) != 0) {
    const absl::Status status = ErrnoStatus("name the ledger", path);
    munmap(*file, sizeof(LedgerFile));
    unlink(unfinished.c_str());
    return status;
  }
  return std::unique_ptr<Writer>(new Writer(path, *file));
}

Writer::~Writer() {
  munmap(file_, sizeof(LedgerFile));
  unlink(path_.c_str());
}

absl::StatusOr<Slot*> Writer::Take(SlotIdentity identity, std::string_view port) {
  if (port.size() >= kPortNameSize) {
    return absl::InvalidArgumentError(absl::StrCat("port name too long: ", std::string(port)));
  }
  for (Slot& slot : file_->slots) {
    if (slot.identity.kind != SlotKind::kFree) continue;
    ChangeMark mark(slot.generation);
    std::memcpy(identity.port, port.data(), port.size());
    slot.identity = identity;
    return &slot;
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("all ", kSlotCount, " slots of the ledger ", path_,
                   " are taken (one for each worker, port, receive and transmit queue); configure "
                   "fewer ports or queues"));
}

void Writer::Retire(Slot& slot) {
  ChangeMark retired_mark(file_->header.retired_generation);
  ChangeMark slot_mark(slot.generation);
  if (slot.identity.kind == SlotKind::kRxQueue) {
    for (Counter& level : slot.rx.levels.cells) level.Set(0);
    AddBlock(file_->header.retired.rx, slot.rx);
  }
  if (slot.identity.kind == SlotKind::kTxQueue) {
    for (Counter& level : slot.tx.levels.cells) level.Set(0);
    AddBlock(file_->header.retired.tx, slot.tx);
  }
  slot.identity = SlotIdentity{};
  auto* cells = reinterpret_cast<Counter*>(&slot.rx);
  constexpr std::size_t kCells = (sizeof(Slot) - offsetof(Slot, rx)) / sizeof(Counter);
  for (std::size_t i = 0; i < kCells; ++i) cells[i].Set(0);
}

absl::StatusOr<RxQueueSlot> Writer::AddRxQueue(std::string_view port, uint32_t queue,
                                               uint32_t worker) {
  absl::StatusOr<Slot*> slot =
      Take({.kind = SlotKind::kRxQueue, .queue = queue, .worker = worker}, port);
  if (!slot.ok()) return slot.status();
  return RxQueueSlot(this, *slot, &(*slot)->rx);
}

absl::StatusOr<TxQueueSlot> Writer::AddTxQueue(std::string_view port, uint32_t queue,
                                               uint32_t worker) {
  absl::StatusOr<Slot*> slot =
      Take({.kind = SlotKind::kTxQueue, .queue = queue, .worker = worker}, port);
  if (!slot.ok()) return slot.status();
  return TxQueueSlot(this, *slot, &(*slot)->tx);
}

absl::StatusOr<WorkerSlot> Writer::AddWorker(uint32_t worker) {
  absl::StatusOr<Slot*> slot = Take({.kind = SlotKind::kWorker, .worker = worker}, "");
  if (!slot.ok()) return slot.status();
  return WorkerSlot(this, *slot, &(*slot)->worker);
}

absl::StatusOr<PortSlot> Writer::AddPort(std::string_view port) {
  absl::StatusOr<Slot*> slot = Take({.kind = SlotKind::kPort}, port);
  if (!slot.ok()) return slot.status();
  return PortSlot(this, *slot, &(*slot)->port);
}

template <class Block>
ScopedSlot<Block>::ScopedSlot(ScopedSlot&& other) noexcept
    : writer_(other.writer_),
      slot_(std::exchange(other.slot_, nullptr)),
      block_(std::exchange(other.block_, nullptr)) {}

template <class Block>
ScopedSlot<Block>& ScopedSlot<Block>::operator=(ScopedSlot&& other) noexcept {
  std::swap(writer_, other.writer_);
  std::swap(slot_, other.slot_);
  std::swap(block_, other.block_);
  return *this;
}

template <class Block>
ScopedSlot<Block>::~ScopedSlot() {
  if (slot_ != nullptr) writer_->Retire(*slot_);
}

template <class Block>
void ScopedSlot<Block>::SetWorker(uint32_t worker) {
  ChangeMark mark(slot_->generation);
  slot_->identity.worker = worker;
}

template class ScopedSlot<RxQueueBlock>;
template class ScopedSlot<TxQueueBlock>;
template class ScopedSlot<WorkerBlock>;
template class ScopedSlot<PortBlock>;

}  // namespace wakegate::ledger
