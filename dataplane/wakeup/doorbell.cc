#include "dataplane/wakeup/doorbell.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "dataplane/kernel/kernel_error.h"

namespace wakegate {

absl::StatusOr<std::unique_ptr<Doorbell>> Doorbell::Create() {
  const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) return KernelError(errno, "eventfd for a worker's doorbell");
  return std::unique_ptr<Doorbell>(new Doorbell(fd));
}

Doorbell::~Doorbell() { close(fd_); }

bool Doorbell::WakeSleeper() {
  // The first ringer writes for all.
  if (!asleep_.exchange(false, std::memory_order_acq_rel)) return false;
  const uint64_t one = 1;
  // Fails only when the counter is full, and then he is being woken already.
  [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
  return true;
}

bool Doorbell::Awake() {
  if (!about_to_sleep_) return false;
  about_to_sleep_ = false;
  // Acquire: what the ringer wrote before he cleared the flag is seen from here on.
  const bool rung = !asleep_.exchange(false, std::memory_order_acq_rel);
  if (rung) ++unread_rings_;
  // A ringer that cleared the flag may not have written yet. His write then wakes the next sleep
  // for nothing, and is read here after that.
  uint64_t count = 0;
  if (unread_rings_ != 0 && read(fd_, &count, sizeof count) == sizeof count) {
    unread_rings_ -= count;
  }
  return rung;
}

}  // namespace wakegate
