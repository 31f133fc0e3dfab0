#include "dataplane/control/cpu_latency.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "dataplane/kernel/kernel_error.h"

namespace wakegate {

absl::Status CpuLatency::Want(bool low) {
  if (low == request_.valid()) return absl::OkStatus();
  if (!low) {
    request_ = FileDescriptor();
    return absl::OkStatus();
  }
  constexpr char kPath[] = "/dev/cpu_dma_latency";
  FileDescriptor request(open(kPath, O_WRONLY | O_CLOEXEC));
  if (!request.valid()) {
    return KernelError(errno, absl::StrCat("knob cpu_dma_latency: open ", kPath),
                       "needs root; a container must be given the device");
  }
  const int32_t microseconds = 0;
  if (write(request.get(), &microseconds, sizeof microseconds) != sizeof microseconds) {
    return KernelError(errno, absl::StrCat("knob cpu_dma_latency: write ", kPath));
  }
  request_ = std::move(request);
  return absl::OkStatus();
}

}  // namespace wakegate
