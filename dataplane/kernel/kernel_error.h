// The text of errors that the kernel answers with.
#ifndef DATAPLANE_KERNEL_KERNEL_ERROR_H_
#define DATAPLANE_KERNEL_KERNEL_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace wakegate {

// "TUNSETIFF tap0: Operation not permitted (needs CAP_NET_ADMIN)": what was tried and on what,
// what the system answered, and, where there is one, a hint at the cause or the remedy. The code
// is the one that Abseil gives to `error`, an errno.
inline absl::Status KernelError(int error, absl::string_view tried, absl::string_view hint = {}) {
  const absl::Status status = absl::ErrnoToStatus(error, tried);
  if (hint.empty()) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(), " (", hint, ")"));
}

}  // namespace wakegate

#endif  // DATAPLANE_KERNEL_KERNEL_ERROR_H_
