// Reads the ledger of a running data plane from any process. Costs the workers nothing.
#ifndef GATEWAY_LEDGER_READER_H_
#define GATEWAY_LEDGER_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gateway/ledger/layout.h"

namespace wakegate::ledger {

// A copy of one slot. Only the block of its kind may be read.
class SlotSnapshot {
 public:
  explicit SlotSnapshot(const Slot& slot);

  const SlotIdentity& identity() const { return slot_->identity; }
  const RxQueueBlock& rx() const { return slot_->rx; }
  const TxQueueBlock& tx() const { return slot_->tx; }
  const WorkerBlock& worker() const { return slot_->worker; }
  const PortBlock& port() const { return slot_->port; }

 private:
  std::unique_ptr<Slot> slot_;
};

// All that is in use, sorted by kind, port, queue and worker.
struct Snapshot {
  std::vector<SlotSnapshot> slots;
  std::unique_ptr<Retired> retired;
};

// Thread safe.
class Reader {
 public:
  // Maps the file. FAILED_PRECONDITION where it is not a ledger of this build's layout.
  static absl::StatusOr<std::unique_ptr<Reader>> Open(const std::string& path);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The counts of one moment as nearly as can be had without stopping the workers. Queues that
  // come and go meanwhile are either in it or in its retired totals, never in both.
  Snapshot Take() const;

  std::string boot_id() const { return file_->header.boot_id; }
  uint64_t tsc_hz() const { return file_->header.tsc_hz; }

 private:
  explicit Reader(const LedgerFile* file) : file_(file) {}
  const LedgerFile* file_;
};

}  // namespace wakegate::ledger

#endif  // GATEWAY_LEDGER_READER_H_
