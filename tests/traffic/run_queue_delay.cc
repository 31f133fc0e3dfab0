#include "tests/traffic/run_queue_delay.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "dataplane/kernel/kernel_error.h"

namespace wakegate::testing {

absl::StatusOr<RunQueueDelay> RunQueueDelay::Of(pid_t process, pid_t thread) {
  const std::string path = absl::StrCat("/proc/", process, "/task/", thread, "/schedstat");
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return KernelError(errno, absl::StrCat("open ", path));
  return RunQueueDelay(std::move(file));
}

std::chrono::nanoseconds RunQueueDelay::Read() const {
  char text[96];
  const ssize_t size = pread(file_.get(), text, sizeof(text), 0);
  if (size <= 0) return std::chrono::nanoseconds(0);
  // Time on a CPU, time in the run queue, time slices.
  const std::vector<std::string> fields =
      absl::StrSplit(absl::string_view(text, static_cast<std::size_t>(size)), ' ');
  int64_t delay = 0;
  if (fields.size() < 2 || !absl::SimpleAtoi(fields[1], &delay)) return std::chrono::nanoseconds(0);
  return std::chrono::nanoseconds(delay);
}

}  // namespace wakegate::testing
