#include "gateway/process/exit_status.h"

#include <cstdlib>
#include <string>

#include "spdlog/spdlog.h"

namespace wakegate {

int ExitStatus(const absl::Status& status) {
  if (status.ok()) return EXIT_SUCCESS;
  spdlog::critical("{}", std::string(status.message()));
  return absl::IsInvalidArgument(status) ? kExitUsage : kExitFailure;
}

}  // namespace wakegate
