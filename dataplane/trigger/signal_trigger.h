// Idle queues watched by signals.
#ifndef DATAPLANE_TRIGGER_SIGNAL_TRIGGER_H_
#define DATAPLANE_TRIGGER_SIGNAL_TRIGGER_H_

#include <csignal>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "dataplane/trigger/trigger.h"
#include "dataplane/wakeup/ready_bitmap.h"

namespace wakegate {

// The kernel sends a real-time signal to the worker's thread when a packet arrives (fcntl(2):
// O_ASYNC, F_SETSIG, F_SETOWN_EX). The handler turns the queue's signals off and sets its bit: it
// is the handler that does, as a sender can be faster than the handler returns, and the thread
// would do nothing else any more. Where more signals are pending than RLIMIT_SIGPENDING allows, the
// kernel sends SIGIO instead, which names no queue: the handler then does so for all queues.
//
// All other threads have both signals blocked, and so has the worker's until it has a trigger.
class SignalTrigger final : public Trigger {
 public:
  // For the calling thread, which has one at most. `ledger`: the worker's.
  static absl::StatusOr<std::unique_ptr<SignalTrigger>> Create(uint32_t slots,
                                                               ledger::WorkerBlock& ledger);
  ~SignalTrigger() override;

  bool Arm(uint32_t slot, int fd, ledger::RxQueueBlock& ledger) override;
  void Disarm(uint32_t slot, ledger::RxQueueBlock& ledger) override;
  void TakeFired(absl::FunctionRef<void(uint32_t)> visit) override;
  // Arming and firing take two calls and a signal: more than with the others.
  uint32_t empty_looks_before_arming() const override { return 32; }

 private:
  SignalTrigger(uint32_t slots, ledger::WorkerBlock& ledger);
  static void OnSignal(int signal, siginfo_t* info, void* context);
  // By the handler. `fd`: of which file; kAllFiles.
  void Fire(int fd);
  // Whether signals of the file may come to this thread.
  bool Own(int fd, ledger::RxQueueBlock& ledger);
  bool SetAsync(int fd, bool async);

  ledger::WorkerBlock& ledger_;
  static constexpr int kAllFiles = -1;
  static constexpr int kNoFile = -2;

  std::vector<int> fds_;    // By slot; kNoFile: not armed. The worker's and the handler's.
  ReadyBitmap fired_;       // By slot. The handler sets.
  uint32_t any_fired_ = 0;  // The word that MayHaveFired reads: fired_ has a bit. Likewise.
};

}  // namespace wakegate

#endif  // DATAPLANE_TRIGGER_SIGNAL_TRIGGER_H_
