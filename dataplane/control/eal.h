// DPDK's environment: memory for packets.
#ifndef DATAPLANE_CONTROL_EAL_H_
#define DATAPLANE_CONTROL_EAL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace wakegate {

// Starts DPDK's EAL, once per process, before any other thread: the threads that it makes inherit
// the caller's signal mask and CPUs; the caller's CPUs are as before afterwards. Uses 2 MB
// hugepages where `megabytes` of them are free, without needing a mount, else ordinary pages.
// Returns which, for people: "256 MB of 2 MB hugepages".
absl::StatusOr<std::string> StartEal(uint32_t megabytes);

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_EAL_H_
