// When a caller stops waiting. The clock is gRPC's.
#ifndef MGMT_CONTROLLER_DEADLINE_H_
#define MGMT_CONTROLLER_DEADLINE_H_

#include <chrono>

namespace wakegate {

using Deadline = std::chrono::system_clock::time_point;

inline Deadline Within(std::chrono::nanoseconds time) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::system_clock::duration>(time);
}

}  // namespace wakegate

#endif  // MGMT_CONTROLLER_DEADLINE_H_
