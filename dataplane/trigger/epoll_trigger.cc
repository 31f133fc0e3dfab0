#include "dataplane/trigger/epoll_trigger.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <utility>

#include "dataplane/kernel/kernel_error.h"

namespace wakegate {

using ledger::SystemCall;

absl::StatusOr<std::unique_ptr<EpollTrigger>> EpollTrigger::Create(uint32_t slots,
                                                                   ledger::WorkerBlock& ledger) {
  FileDescriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return KernelError(errno, "epoll_create1 for a worker");
  return std::unique_ptr<EpollTrigger>(new EpollTrigger(std::move(epoll), slots, ledger));
}

EpollTrigger::EpollTrigger(FileDescriptor epoll, uint32_t slots, ledger::WorkerBlock& ledger)
    : epoll_(std::move(epoll)), ledger_(ledger), fds_(slots, -1) {
  flags_ = &armed_;
  flag_mask_ = ~uint32_t{0};
  tail_ = &tail_seen_;
}

// The kernel looks at the file when it is added.
bool EpollTrigger::Arm(uint32_t slot, int fd, ledger::RxQueueBlock& ledger) {
  epoll_event event = {.events = EPOLLIN, .data = {.u32 = slot}};
  ledger.system_calls[SystemCall::kEpollCtl].Add(1);
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return false;
  fds_[slot] = fd;
  ++armed_;
  return true;
}

void EpollTrigger::Disarm(uint32_t slot, ledger::RxQueueBlock& ledger) {
  ledger.system_calls[SystemCall::kEpollCtl].Add(1);
  Remove(slot);
}

// A file that stayed would cost the queue's senders a look at the instance for each packet.
void EpollTrigger::Remove(uint32_t slot) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, std::exchange(fds_[slot], -1), nullptr);
  --armed_;
}

void EpollTrigger::TakeFired(absl::FunctionRef<void(uint32_t)> visit) {
  std::array<epoll_event, 64> events;
  ledger_.system_calls[SystemCall::kPoll].Add(1);
  const int count = epoll_wait(epoll_.get(), events.data(), events.size(), 0);
  for (int i = 0; i < count; ++i) {
    ledger_.system_calls[SystemCall::kEpollCtl].Add(1);
    Remove(events[i].data.u32);
    visit(events[i].data.u32);
  }
}

}  // namespace wakegate
