// Which CPUs move packets, and which do everything else.
#ifndef DATAPLANE_CONTROL_CPUS_H_
#define DATAPLANE_CONTROL_CPUS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace wakegate {

struct CpuAssignment {
  std::vector<int> workers;       // One worker on each; ascending.
  std::vector<int> housekeeping;  // All other threads; never empty, ascending.
};

// Pure. `cores`: "auto", or a list such as "2,4-7" of `allowed` CPUs. `allowed`: what this process
// may run on; `online`: how many CPUs the machine has.
// auto: where the process was given a part of the machine (a cpuset), all of it but its first CPU;
// where it may run anywhere, nobody has set cores aside for it: the last CPU only.
// Housekeeping has the allowed CPUs that no worker has, or all of them where none is left.
absl::StatusOr<CpuAssignment> AssignCpus(std::string_view cores, const std::vector<int>& allowed,
                                         size_t online);

// The calling thread's CPUs, ascending; threads that it starts inherit them.
std::vector<int> ThreadCpus();
absl::Status SetThreadCpus(const std::vector<int>& cpus);

// "0-2,5".
std::string CpuListText(const std::vector<int>& cpus);

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_CPUS_H_
