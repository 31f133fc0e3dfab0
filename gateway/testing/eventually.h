// Waiting in a test for what another thread brings about.
#ifndef GATEWAY_TESTING_EVENTUALLY_H_
#define GATEWAY_TESTING_EVENTUALLY_H_

#include <chrono>
#include <functional>
#include <thread>

namespace wakegate {

// Whether `condition` became true within `time`.
inline bool Eventually(const std::function<bool()>& condition,
                       std::chrono::milliseconds time = std::chrono::seconds(10)) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace wakegate

#endif  // GATEWAY_TESTING_EVENTUALLY_H_
