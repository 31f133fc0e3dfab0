#include "dataplane/control/housekeeping.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "dataplane/kernel/kernel_error.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

constexpr int kTickMilliseconds = 1000;
// After an event, so that the many events of one change make one Tick.
constexpr int kSettleMilliseconds = 10;

}  // namespace

absl::StatusOr<std::unique_ptr<Housekeeping>> Housekeeping::Start(Gateway& gateway) {
  absl::StatusOr<LinkMonitor> monitor = LinkMonitor::Open();
  if (!monitor.ok()) return monitor.status();
  FileDescriptor stop(eventfd(0, EFD_CLOEXEC));
  if (!stop.valid()) return KernelError(errno, "eventfd for housekeeping");
  std::unique_ptr<Housekeeping> housekeeping(
      new Housekeeping(gateway, *std::move(monitor), std::move(stop)));
  housekeeping->thread_ = std::thread([self = housekeeping.get()] { self->Run(); });
  return housekeeping;
}

Housekeeping::Housekeeping(Gateway& gateway, LinkMonitor monitor, FileDescriptor stop)
    : gateway_(gateway), monitor_(std::move(monitor)), stop_(std::move(stop)) {}

Housekeeping::~Housekeeping() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void Housekeeping::Run() {
  pthread_setname_np(pthread_self(), "housekeeping");
  while (const std::optional<bool> devices_changed = Wait()) {
    // A tap that is made and then cannot be used comes and goes. That is no reason to try again
    // at once, and again.
    if (gateway_.Tick(*devices_changed)) DevicesHaveChanged();
  }
}

bool Housekeeping::DevicesHaveChanged() {
  const absl::StatusOr<LinkEvents> events = monitor_.ReadEvents();
  if (events.ok()) return events->overrun || !events->changed.empty() || !events->vanished.empty();
  spdlog::error("{}; devices are looked at each second only",
                std::string(events.status().message()));
  return false;
}

std::optional<bool> Housekeeping::Wait() {
  pollfd fds[] = {{.fd = stop_.get(), .events = POLLIN, .revents = 0},
                  {.fd = monitor_.fd(), .events = POLLIN, .revents = 0}};
  const int ready = poll(fds, 2, kTickMilliseconds);
  if (ready > 0 && fds[0].revents == 0) poll(fds, 1, kSettleMilliseconds);
  if (fds[0].revents != 0) return std::nullopt;
  return fds[1].revents != 0 && DevicesHaveChanged();
}

}  // namespace wakegate
