// One data plane for a run directory.
#ifndef DATAPLANE_CONTROL_RUN_LOCK_H_
#define DATAPLANE_CONTROL_RUN_LOCK_H_

#include <string>

#include "absl/status/statusor.h"
#include "dataplane/kernel/file_descriptor.h"

namespace wakegate {

// Makes the run directory if it is not there, and takes its lock for as long as the result lives;
// the kernel frees it when the process ends in any way. ALREADY_EXISTS where another has it, and
// still has it after half a second: one that was killed takes a moment to be gone.
absl::StatusOr<FileDescriptor> LockRunDirectory(const std::string& run_dir);

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_RUN_LOCK_H_
