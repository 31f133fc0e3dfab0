#include "dataplane/trigger/signal_trigger.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "dataplane/kernel/kernel_error.h"

namespace wakegate {
namespace {

using ledger::SystemCall;

// The first ones are glibc's, and libraries tend to take those next to them.
int PacketSignal() { return SIGRTMIN + 8; }

// The trigger of this thread, for its handler.
thread_local constinit SignalTrigger* trigger_of_thread = nullptr;

void SetMask(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGIO);
  sigaddset(&set, PacketSignal());
  pthread_sigmask(how, &set, nullptr);
}

}  // namespace

absl::StatusOr<std::unique_ptr<SignalTrigger>> SignalTrigger::Create(uint32_t slots,
                                                                     ledger::WorkerBlock& ledger) {
  struct sigaction action = {};
  action.sa_sigaction = &OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : {SIGIO, PacketSignal()}) {
    if (sigaction(signal, &action, nullptr) != 0) {
      return KernelError(errno, "sigaction for the receive trigger");
    }
  }
  std::unique_ptr<SignalTrigger> trigger(new SignalTrigger(slots, ledger));
  trigger_of_thread = trigger.get();
  SetMask(SIG_UNBLOCK);
  return trigger;
}

SignalTrigger::SignalTrigger(uint32_t slots, ledger::WorkerBlock& ledger)
    : ledger_(ledger), fds_(slots, kNoFile), fired_((slots + 63) / 64 * 64) {
  flags_ = &any_fired_;
  flag_mask_ = ~uint32_t{0};
  tail_ = &tail_seen_;
}

SignalTrigger::~SignalTrigger() {
  SetMask(SIG_BLOCK);
  trigger_of_thread = nullptr;
}

// On the worker's thread, between any two of its instructions.
void SignalTrigger::OnSignal(int signal, siginfo_t* info, void*) {
  SignalTrigger* trigger = trigger_of_thread;
  if (trigger == nullptr) return;
  const int interrupted_errno = errno;
  trigger->Fire(signal == SIGIO ? kAllFiles : info->si_fd);
  errno = interrupted_errno;
}

void SignalTrigger::Fire(int fd) {
  // A worker arms few queues by signal, and each fires once: that is no time.
  for (uint32_t slot = 0; slot < fds_.size(); ++slot) {
    if (fds_[slot] == kNoFile || (fd != kAllFiles && fds_[slot] != fd)) continue;
    SetAsync(std::exchange(fds_[slot], kNoFile), false);
    fired_.Set(slot);
  }
  __atomic_store_n(&any_fired_, 1, __ATOMIC_RELAXED);
}

bool SignalTrigger::Arm(uint32_t slot, int fd, ledger::RxQueueBlock& ledger) {
  // The owner first: from O_ASYNC on the kernel signals whoever it is (tun_chr_fasync in
  // drivers/net/tun.c makes it the process unless there is one).
  fired_.Clear(slot);  // Of an earlier watch.
  fds_[slot] = fd;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  ledger.system_calls[SystemCall::kFcntl].Add(1);
  if (!Own(fd, ledger) || !SetAsync(fd, true)) {
    fds_[slot] = kNoFile;
    return false;
  }
  // A packet that came before that has signalled nobody.
  pollfd readable = {.fd = fd, .events = POLLIN, .revents = 0};
  ledger.system_calls[SystemCall::kPoll].Add(1);
  if (poll(&readable, 1, 0) == 0 && fds_[slot] == fd) return true;
  // Or a late signal of an earlier watch has ended this one, perhaps before O_ASYNC was set.
  fds_[slot] = fd;
  Disarm(slot, ledger);
  return false;
}

bool SignalTrigger::Own(int fd, ledger::RxQueueBlock& ledger) {
  // Another worker may have had the queue before.
  f_owner_ex owner = {};
  ledger.system_calls[SystemCall::kFcntl].Add(1);
  if (fcntl(fd, F_GETOWN_EX, &owner) == 0 && owner.type == F_OWNER_TID && owner.pid == gettid()) {
    return true;
  }
  owner = {.type = F_OWNER_TID, .pid = gettid()};
  ledger.system_calls[SystemCall::kFcntl].Add(2);
  return fcntl(fd, F_SETSIG, PacketSignal()) == 0 && fcntl(fd, F_SETOWN_EX, &owner) == 0;
}

bool SignalTrigger::SetAsync(int fd, bool async) {
  return fcntl(fd, F_SETFL, O_NONBLOCK | (async ? O_ASYNC : 0)) == 0;
}

void SignalTrigger::Disarm(uint32_t slot, ledger::RxQueueBlock& ledger) {
  const int fd = std::exchange(fds_[slot], kNoFile);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  ledger.system_calls[SystemCall::kFcntl].Add(1);  // Or the handler's.
  if (fd != kNoFile) SetAsync(fd, false);
  fired_.Clear(slot);
}

void SignalTrigger::TakeFired(absl::FunctionRef<void(uint32_t)> visit) {
  // In this order: a signal that comes after it sets the word again.
  __atomic_store_n(&any_fired_, 0, __ATOMIC_RELAXED);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  fired_.TakeAll([&](uint32_t slot) {
    ledger_.system_calls[SystemCall::kFcntl].Add(1);  // The handler's, which must not count.
    visit(slot);
  });
}

}  // namespace wakegate
