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
// O_ASYNC, F_SETSIG, F_SETOWN_EX), and the handler sets the bit of the queue that it names. Where
// more signals are pending than RLIMIT_SIGPENDING allows, the kernel sends SIGIO instead, which
// names no queue: the handler then sets all bits.
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
  void Fire(int fd);
  void FireAll();
  // Whether signals of the file may come to this thread.
  bool Own(int fd, ledger::RxQueueBlock& ledger);
  bool SetAsync(int fd, bool async);

  ledger::WorkerBlock& ledger_;
  std::vector<int> fds_;    // By slot; -1: not armed. The worker's; the handler reads.
  ReadyBitmap fired_;       // By slot. The handler sets.
  uint32_t any_fired_ = 0;  // The word that MayHaveFired reads: fired_ has a bit. Likewise.
};

}  // namespace wakegate

#endif  // DATAPLANE_TRIGGER_SIGNAL_TRIGGER_H_
