// Whether a worker has its CPU to itself.
#ifndef DATAPLANE_CONTROL_CPU_CONTENTION_H_
#define DATAPLANE_CONTROL_CPU_CONTENTION_H_

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace wakegate {

// How long a thread of this process has waited for a CPU that others had, since it started
// (Documentation/scheduler/sched-stats.rst, /proc/<pid>/schedstat). Nullopt where the kernel does
// not count that.
std::optional<std::chrono::nanoseconds> RunQueueDelay(pid_t thread);

// Tells from that delay whether others want a worker's CPU. A thread that spins holds up whoever
// shares its CPU, and where that is the kernel's packet processing (ksoftirqd, a NAPI thread), also
// itself. Pure; control thread.
class CpuContention {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Takes a reading. True: shared. Readings closer than half a second to the one before are left
  // out.
  bool Update(std::chrono::nanoseconds delay, Time now);

 private:
  std::optional<Time> last_time_;
  std::chrono::nanoseconds last_delay_{};
  bool shared_ = false;
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_CPU_CONTENTION_H_
