// A name for one run of the process.
#ifndef DATAPLANE_CONTROL_BOOT_ID_H_
#define DATAPLANE_CONTROL_BOOT_ID_H_

#include <string>

#include "absl/status/statusor.h"

namespace wakegate {

// A new UUID at each call, from the kernel.
absl::StatusOr<std::string> MakeBootId();

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_BOOT_ID_H_
