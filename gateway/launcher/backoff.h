// How long to wait before a program that died is started again. Pure.
#ifndef GATEWAY_LAUNCHER_BACKOFF_H_
#define GATEWAY_LAUNCHER_BACKOFF_H_

#include <algorithm>
#include <chrono>

namespace wakegate {

// Not thread safe.
class Backoff {
 public:
  static constexpr std::chrono::milliseconds kFirst{100};
  static constexpr std::chrono::milliseconds kLongest{5000};
  // A program that ran this long is healthy: its next death is a new trouble.
  static constexpr std::chrono::milliseconds kHealthy{10000};

  // The wait after a run of length `ran`: kFirst, then twice the one before, up to kLongest.
  std::chrono::milliseconds NextDelay(std::chrono::milliseconds ran) {
    if (ran >= kHealthy) next_ = kFirst;
    const std::chrono::milliseconds delay = next_;
    next_ = std::min(2 * next_, kLongest);
    return delay;
  }

 private:
  std::chrono::milliseconds next_ = kFirst;
};

}  // namespace wakegate

#endif  // GATEWAY_LAUNCHER_BACKOFF_H_
