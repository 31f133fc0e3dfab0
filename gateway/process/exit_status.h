// What our programs exit with.
#ifndef GATEWAY_PROCESS_EXIT_STATUS_H_
#define GATEWAY_PROCESS_EXIT_STATUS_H_

#include "absl/status/status.h"

namespace wakegate {

inline constexpr int kExitFailure = 1;  // It could not do it; stderr says why.
inline constexpr int kExitUsage = 2;    // A flag makes no sense.

// 0, or which of them a program ends with: kExitUsage for INVALID_ARGUMENT. Says why on the log.
int ExitStatus(const absl::Status& status);

}  // namespace wakegate

#endif  // GATEWAY_PROCESS_EXIT_STATUS_H_
