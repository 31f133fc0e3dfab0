// How long things took, apart by what caused them.
#ifndef TESTS_SOAK_LATENCY_HISTOGRAM_H_
#define TESTS_SOAK_LATENCY_HISTOGRAM_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace wakegate::testing {

// One thread.
class LatencyHistogram {
 public:
  void Add(const std::string& cause, std::chrono::nanoseconds took);

  uint64_t count() const { return count_; }
  std::chrono::nanoseconds longest() const { return longest_; }

  // A column for each cause, a row for each bucket that has any: up to 1, 2, 4, … microseconds.
  std::string ToTable() const;

 private:
  static constexpr std::size_t kBuckets = 32;

  std::map<std::string, std::array<uint64_t, kBuckets>> counts_;
  uint64_t count_ = 0;
  std::chrono::nanoseconds longest_{0};
};

}  // namespace wakegate::testing

#endif  // TESTS_SOAK_LATENCY_HISTOGRAM_H_
