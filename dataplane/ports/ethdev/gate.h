// Keeps a worker out of a device while control stops it.
#ifndef DATAPLANE_PORTS_ETHDEV_GATE_H_
#define DATAPLANE_PORTS_ETHDEV_GATE_H_

#include <atomic>

#include "absl/status/status.h"

namespace wakegate {

// A DPDK device must not be used while it is stopped, and it is stopped while workers run. One
// worker passes, control opens and closes. To pass costs the worker no fence: control pays for it,
// with membarrier(2).
class Gate {
 public:
  // Control, once before the first Close in the process. An error: this kernel, or a container's
  // seccomp profile, does not let us.
  static absl::Status Prepare();

  // The worker. False: it is closed, stay out. Otherwise Leave.
  bool Enter() {
    inside_.store(true, std::memory_order_relaxed);
    // Only the compiler is kept from swapping the two; see Close for the CPU.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (open_.load(std::memory_order_acquire)) return true;
    Leave();
    return false;
  }
  void Leave() { inside_.store(false, std::memory_order_release); }

  // Control. Closed at first.
  void Open() { open_.store(true, std::memory_order_release); }
  // Returns when the worker is outside, for as long as it is closed.
  void Close();

 private:
  std::atomic<bool> open_ = false;    // Control writes, the worker reads.
  std::atomic<bool> inside_ = false;  // The other way round.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_GATE_H_
