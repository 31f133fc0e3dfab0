// The text of errors that the kernel answers with.
#ifndef DATAPLANE_KERNEL_KERNEL_ERROR_H_
#define DATAPLANE_KERNEL_KERNEL_ERROR_H_

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace wakegate {

// The hint at what no call alone is the cause of; empty: none.
inline absl::string_view HintAtLimit(int error) {
  switch (error) {
    case EMFILE:
      return "raise the data plane's limit: LimitNOFILE= of its systemd unit, or ulimit -n";
    case ENFILE:
      return "raise that of the whole machine: sysctl fs.file-max";
    default:
      return {};
  }
}

// "TUNSETIFF tap0: Operation not permitted (needs CAP_NET_ADMIN)": what was tried and on what,
// what the system answered, and, where there is one, a hint at the cause or the remedy; where a
// limit on open files is the cause, the hint is at that. The code is the one that Abseil gives to
// `error`, an errno.
inline absl::Status KernelError(int error, absl::string_view tried, absl::string_view hint = {}) {
  const absl::Status status = absl::ErrnoToStatus(error, tried);
  if (const absl::string_view limit = HintAtLimit(error); !limit.empty()) hint = limit;
  if (hint.empty()) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(), " (", hint, ")"));
}

}  // namespace wakegate

#endif  // DATAPLANE_KERNEL_KERNEL_ERROR_H_
