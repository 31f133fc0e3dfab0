#include "gateway/ctl/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace wakegate {
namespace {

sigset_t WatchedSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

InterruptWatch::InterruptWatch(std::function<void()> on_interrupt) {
  const sigset_t signals = WatchedSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal_fd_ = signalfd(-1, &signals, SFD_CLOEXEC);
  stop_fd_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this, call = std::move(on_interrupt)] { Run(call); });
}

InterruptWatch::~InterruptWatch() {
  eventfd_write(stop_fd_, 1);
  thread_.join();
  close(signal_fd_);
  close(stop_fd_);
  const sigset_t signals = WatchedSignals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void InterruptWatch::Run(const std::function<void()>& on_interrupt) const {
  while (true) {
    pollfd fds[] = {{.fd = signal_fd_, .events = POLLIN, .revents = 0},
                    {.fd = stop_fd_, .events = POLLIN, .revents = 0}};
    poll(fds, 2, -1);
    if (fds[1].revents != 0) return;
    signalfd_siginfo received;
    if (read(signal_fd_, &received, sizeof(received)) == sizeof(received)) on_interrupt();
  }
}

}  // namespace wakegate
