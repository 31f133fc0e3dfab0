// What a program that measures prints.
#ifndef TESTS_TRAFFIC_PACKET_RATE_H_
#define TESTS_TRAFFIC_PACKET_RATE_H_

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace wakegate::testing {

// {"nanoseconds": N, "packets": N}, a line.
inline void PrintPacketRate(std::chrono::nanoseconds time, uint64_t packets) {
  std::printf("{\"nanoseconds\": %lld, \"packets\": %llu}\n", static_cast<long long>(time.count()),
              static_cast<unsigned long long>(packets));
  std::fflush(stdout);
}

}  // namespace wakegate::testing

#endif  // TESTS_TRAFFIC_PACKET_RATE_H_
