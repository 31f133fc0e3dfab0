#include "dataplane/ports/ethdev/gate.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "dataplane/kernel/kernel_error.h"

namespace wakegate {
namespace {

long Membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

}  // namespace

absl::Status Gate::Prepare() {
  if (Membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0) return absl::OkStatus();
  return KernelError(errno, "membarrier", "an ethdev port needs it: allow it in the container");
}

// The worker stores `inside_` and then loads `open_`; we store `open_` and then load `inside_`.
// With a full fence between on both sides one sees the other. membarrier makes one on every CPU
// that runs a thread of this process, before it returns (membarrier(2)).
void Gate::Close() {
  open_.store(false, std::memory_order_relaxed);
  Membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  // A burst takes microseconds, unless the worker loses its CPU in it.
  while (inside_.load(std::memory_order_acquire)) {
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  }
}

}  // namespace wakegate
