// The programs that `wakegate` starts: finding and starting them.
#ifndef GATEWAY_LAUNCHER_PROGRAM_H_
#define GATEWAY_LAUNCHER_PROGRAM_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace wakegate {

// The path of the program `name`: in the folder of this executable, as both are installed, or
// below the root of Bazel's output in `bazel_folder`. NOT_FOUND names the places.
absl::StatusOr<std::string> FindProgram(const std::string& name, const std::string& bazel_folder);

// Starts command[0], a path, with the rest as its arguments, and returns its process id. It has
// an empty signal mask and default signal actions, whatever ours are, and a process group of
// its own, so that Ctrl-C at a terminal reaches the launcher alone. When the calling thread
// ends, however it does, the kernel sends it SIGKILL; so call from the main thread, in
// a process that has no other. Fails if the program cannot be executed.
absl::StatusOr<pid_t> StartProgram(const std::vector<std::string>& command);

}  // namespace wakegate

#endif  // GATEWAY_LAUNCHER_PROGRAM_H_
