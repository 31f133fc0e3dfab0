// The data plane's side of the ledger: makes the file and gives out its slots.
#ifndef GATEWAY_LEDGER_WRITER_H_
#define GATEWAY_LEDGER_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/ledger/layout.h"

namespace wakegate::ledger {

class Writer;

// Owns one slot. On destruction the slot's counts move to the retired totals and the slot is free;
// its writing thread must have stopped writing by then. Control thread only, but for the block.
template <class Block>
class ScopedSlot {
 public:
  ScopedSlot() = default;
  ScopedSlot(ScopedSlot&& other) noexcept;
  ScopedSlot& operator=(ScopedSlot&& other) noexcept;
  ~ScopedSlot();

  // The counters: for the slot's one writing thread.
  Block& block() const { return *block_; }
  // Names another worker as the writing thread.
  void SetWorker(uint32_t worker);

 private:
  friend class Writer;
  ScopedSlot(Writer* writer, Slot* slot, Block* block)
      : writer_(writer), slot_(slot), block_(block) {}

  Writer* writer_ = nullptr;
  Slot* slot_ = nullptr;
  Block* block_ = nullptr;
};

using RxQueueSlot = ScopedSlot<RxQueueBlock>;
using TxQueueSlot = ScopedSlot<TxQueueBlock>;
using WorkerSlot = ScopedSlot<WorkerBlock>;
using PortSlot = ScopedSlot<PortBlock>;

// Control thread only. Outlives its slots.
class Writer {
 public:
  // Makes `run_dir`/ledger.<boot_id>, complete before it has its name (written beside, renamed),
  // and removes ledgers of earlier boots. `tsc_hz` goes into the header.
  static absl::StatusOr<std::unique_ptr<Writer>> Create(const std::string& run_dir,
                                                        std::string_view boot_id, uint64_t tsc_hz);
  // Unmaps and removes the file.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Each gives a zeroed slot, or RESOURCE_EXHAUSTED where all kSlotCount are taken.
  absl::StatusOr<RxQueueSlot> AddRxQueue(std::string_view port, uint32_t queue, uint32_t worker);
  absl::StatusOr<TxQueueSlot> AddTxQueue(std::string_view port, uint32_t queue, uint32_t worker);
  absl::StatusOr<WorkerSlot> AddWorker(uint32_t worker);
  absl::StatusOr<PortSlot> AddPort(std::string_view port);

  const std::string& path() const { return path_; }

 private:
  template <class Block>
  friend class ScopedSlot;

  Writer(std::string path, LedgerFile* file) : path_(std::move(path)), file_(file) {}
  absl::StatusOr<Slot*> Take(SlotIdentity identity, std::string_view port);
  void Retire(Slot& slot);

  std::string path_;
  LedgerFile* file_;
};

}  // namespace wakegate::ledger

#endif  // GATEWAY_LEDGER_WRITER_H_
