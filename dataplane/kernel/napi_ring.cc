#include "dataplane/kernel/napi_ring.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "dataplane/kernel/io_ring.h"
#include "dataplane/kernel/kernel_error.h"

namespace wakegate {
namespace {

// What liburing 2.3 does not have (struct io_uring_napi in include/uapi/linux/io_uring.h).
constexpr unsigned kRegisterNapi = 27;
enum class Operation : uint8_t { kSetUp = 0, kAddInstance = 1 };
constexpr uint32_t kTrackStatic = 1;

struct NapiRequest {
  uint32_t microseconds;
  uint8_t prefer;  // A softirq keeps away from the instance while it is polled.
  Operation operation;
  uint8_t padding[2];
  uint32_t parameter;
  uint32_t reserved;
};

absl::Status Register(int ring, NapiRequest request) {
  if (syscall(SYS_io_uring_register, ring, kRegisterNapi, &request, 1) == 0) {
    return absl::OkStatus();
  }
  return KernelError(errno, "have io_uring poll a NAPI instance",
                     errno == EINVAL ? "the kernel is older than 6.13" : "");
}

}  // namespace

absl::StatusOr<std::unique_ptr<NapiRing>> NapiRing::Create() {
  std::unique_ptr<NapiRing> ring(new NapiRing);
  // Control makes it, a worker polls: no thread owns it.
  const absl::Status status = SetUpSharedIoRing(/*entries=*/1, ring->ring_);
  if (!status.ok()) return status;
  ring->ring_open_ = true;
  return ring;
}

NapiRing::~NapiRing() {
  if (ring_open_) io_uring_queue_exit(&ring_);
}

// Setting up forgets the instance before.
absl::Status NapiRing::Watch(uint32_t napi, std::chrono::microseconds time) {
  absl::Status status =
      Register(ring_.ring_fd, {.microseconds = static_cast<uint32_t>(time.count()),
                               .prefer = 1,
                               .operation = Operation::kSetUp,
                               .padding = {},
                               .parameter = kTrackStatic,
                               .reserved = 0});
  if (!status.ok()) return status;
  return Register(ring_.ring_fd, {.microseconds = 0,
                                  .prefer = 0,
                                  .operation = Operation::kAddInstance,
                                  .padding = {},
                                  .parameter = napi,
                                  .reserved = 0});
}

// It waits for a completion that never comes, in no time, which the kernel spends with polling.
void NapiRing::Poll() {
  __kernel_timespec no_time = {};
  io_uring_getevents_arg argument = {};
  argument.ts = reinterpret_cast<uint64_t>(&no_time);
  io_uring_enter2(static_cast<unsigned>(ring_.ring_fd), 0, 1,
                  IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
                  reinterpret_cast<sigset_t*>(&argument), sizeof(argument));
}

}  // namespace wakegate
