#include "dataplane/control/cpu_contention.h"

#include <cstdint>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace wakegate {

using std::chrono::nanoseconds;

std::optional<nanoseconds> RunQueueDelay(pid_t thread) {
  std::ifstream file(absl::StrCat("/proc/self/task/", thread, "/schedstat"));
  uint64_t running = 0;
  uint64_t waiting = 0;
  if (!(file >> running >> waiting)) return std::nullopt;
  return nanoseconds(waiting);
}

bool CpuContention::Update(nanoseconds delay, Time now) {
  constexpr auto kShortest = std::chrono::milliseconds(500);
  if (last_time_ && now - *last_time_ < kShortest) return shared_;
  if (last_time_) {
    // Two marks, so that it does not waver. A stray kernel thread takes less than one percent.
    const auto share = static_cast<double>((delay - last_delay_).count()) /
                       static_cast<double>(nanoseconds(now - *last_time_).count());
    if (share > 0.10) shared_ = true;
    if (share < 0.02) shared_ = false;
  }
  last_time_ = now;
  last_delay_ = delay;
  return shared_;
}

}  // namespace wakegate
