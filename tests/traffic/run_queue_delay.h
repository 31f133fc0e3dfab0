// How long a thread was kept from running.
#ifndef TESTS_TRAFFIC_RUN_QUEUE_DELAY_H_
#define TESTS_TRAFFIC_RUN_QUEUE_DELAY_H_

#include <sys/types.h>

#include <chrono>

#include "absl/status/statusor.h"
#include "dataplane/kernel/file_descriptor.h"

namespace wakegate::testing {

// Of one thread of any process, from /proc/PID/task/TID/schedstat
// (Documentation/scheduler/sched-stats.rst). Any thread.
class RunQueueDelay {
 public:
  // NOT_FOUND where there is no such thread.
  static absl::StatusOr<RunQueueDelay> Of(pid_t process, pid_t thread);

  // How long it has waited for a CPU since it was made, while it could have run. A wait counts
  // once it has ended. 0 once the thread is gone.
  std::chrono::nanoseconds Read() const;

 private:
  explicit RunQueueDelay(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace wakegate::testing

#endif  // TESTS_TRAFFIC_RUN_QUEUE_DELAY_H_
