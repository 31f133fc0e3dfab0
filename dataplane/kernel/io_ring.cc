#include "dataplane/kernel/io_ring.h"

#include <cerrno>
#include <string>

#include "dataplane/kernel/kernel_error.h"

namespace wakegate {
namespace {

std::string WhyNoRing(int error) {
  switch (error) {
    case ENOSYS:
      return "the kernel has no io_uring, or a seccomp profile hides it";
    case EPERM:
      return "forbidden by a seccomp profile or by sysctl kernel.io_uring_disabled";
    case EINVAL:
      return "the kernel is older than 5.19";
    case ENOMEM:
      return "raise RLIMIT_MEMLOCK (ulimit -l)";
    default:
      return "";
  }
}

absl::Status SetupError(int error) {
  return KernelError(error, "io_uring_setup", WhyNoRing(error));
}

}  // namespace

absl::Status SetUpIoRing(uint32_t entries, uint32_t completions, io_uring& ring) {
  constexpr uint32_t kCommon = IORING_SETUP_CQSIZE | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_CLAMP;
  int error = EINVAL;
  for (const uint32_t flags :
       {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN}) {
    io_uring_params parameters = {};
    parameters.flags = kCommon | flags;
    parameters.cq_entries = completions;
    error = -io_uring_queue_init_params(entries, &ring, &parameters);
    if (error != EINVAL) break;
  }
  if (error != 0) return SetupError(error);
  // Saves the look-up of the file in each call; where it fails, that is all that is lost.
  io_uring_register_ring_fd(&ring);
  return absl::OkStatus();
}

absl::Status SetUpSharedIoRing(uint32_t entries, io_uring& ring) {
  const int error = -io_uring_queue_init(entries, &ring, 0);
  return error == 0 ? absl::OkStatus() : SetupError(error);
}

}  // namespace wakegate
