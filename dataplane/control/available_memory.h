// How much memory this process can still get.
#ifndef DATAPLANE_CONTROL_AVAILABLE_MEMORY_H_
#define DATAPLANE_CONTROL_AVAILABLE_MEMORY_H_

#include <cstdint>
#include <string>

namespace wakegate {

struct AvailableMemory {
  uint64_t megabytes = 0;
  std::string limit;  // What sets it: "this machine", or a cgroup's file.
};

// The least of what the machine has left (MemAvailable) and of what the limits of this process's
// cgroup and those above it leave (memory.max less memory.current, cgroup v2). `proc` and
// `cgroups`: where these file systems are mounted. What cannot be read limits nothing.
AvailableMemory ReadAvailableMemory(const std::string& proc = "/proc",
                                    const std::string& cgroups = "/sys/fs/cgroup");

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_AVAILABLE_MEMORY_H_
