// How long to wait before the next try: twice as long after each failure.
#ifndef GATEWAY_BACKOFF_BACKOFF_H_
#define GATEWAY_BACKOFF_BACKOFF_H_

#include <algorithm>
#include <chrono>

namespace wakegate {

// One thread at a time.
class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest)
      : first_(first), longest_(longest), next_(first) {}

  std::chrono::milliseconds Next() {
    const std::chrono::milliseconds wait = next_;
    next_ = std::min(2 * next_, longest_);
    return wait;
  }
  void Reset() { next_ = first_; }

 private:
  std::chrono::milliseconds first_;
  std::chrono::milliseconds longest_;
  std::chrono::milliseconds next_;
};

}  // namespace wakegate

#endif  // GATEWAY_BACKOFF_BACKOFF_H_
