// Idle queues watched by epoll.
#ifndef DATAPLANE_TRIGGER_EPOLL_TRIGGER_H_
#define DATAPLANE_TRIGGER_EPOLL_TRIGGER_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/trigger/trigger.h"

namespace wakegate {

// One system call asks for all idle queues of the worker: there is no word in memory that tells, so
// that MayHaveFired says yes each time it is asked while a queue is armed. Ask it rarely.
class EpollTrigger final : public Trigger {
 public:
  // `ledger`: the worker's.
  static absl::StatusOr<std::unique_ptr<EpollTrigger>> Create(uint32_t slots,
                                                              ledger::WorkerBlock& ledger);

  bool Arm(uint32_t slot, int fd, ledger::RxQueueBlock& ledger) override;
  void Disarm(uint32_t slot, ledger::RxQueueBlock& ledger) override;
  void TakeFired(absl::FunctionRef<void(uint32_t)> visit) override;
  uint32_t empty_looks_before_arming() const override { return 4; }
  uint64_t turns_between_looks() const override { return 64; }

 private:
  EpollTrigger(FileDescriptor epoll, uint32_t slots, ledger::WorkerBlock& ledger);
  void Remove(uint32_t slot);

  FileDescriptor epoll_;
  ledger::WorkerBlock& ledger_;
  std::vector<int> fds_;  // By slot; -1: not armed.
  uint32_t armed_ = 0;    // How many: the word that MayHaveFired reads.
};

}  // namespace wakegate

#endif  // DATAPLANE_TRIGGER_EPOLL_TRIGGER_H_
