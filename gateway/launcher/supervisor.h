// Keeps programs running until it is told to stop.
#ifndef GATEWAY_LAUNCHER_SUPERVISOR_H_
#define GATEWAY_LAUNCHER_SUPERVISOR_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gateway/backoff/backoff.h"

namespace wakegate {

// Use from the main thread of a process that has no other thread and no other children.
class Supervisor {
 public:
  using Clock = std::chrono::steady_clock;

  // A program that exits this soon after its very first start did not come up: a bad flag, a
  // port that is taken. That is for people to mend, so it ends Run(); a crash does not.
  static constexpr std::chrono::milliseconds kStartPeriod{1000};
  // The wait before a program that died is started again.
  static constexpr std::chrono::milliseconds kFirstWait{100};
  static constexpr std::chrono::milliseconds kLongestWait{5000};
  // A program that ran this long was healthy: its death is a new trouble, and the wait short.
  static constexpr std::chrono::milliseconds kHealthyRun{10000};

  // A program that has not ended `stop_timeout` after SIGTERM is killed.
  explicit Supervisor(std::chrono::milliseconds stop_timeout) : stop_timeout_(stop_timeout) {}

  // `command`: its path and arguments. Programs start in the order in which they are added, and
  // stop in the reverse order, each after the one before has ended.
  void Add(std::string name, std::vector<std::string> command);

  // Starts all, and starts again those that die, after a back-off. Returns when SIGTERM, SIGINT
  // or SIGHUP came, or a program did not come up, and all have ended: OK only if they were
  // asked to and did so cleanly and in time. Leaves these signals and SIGCHLD blocked.
  absl::Status Run();

 private:
  struct Child {
    std::string name;
    std::vector<std::string> command;
    Backoff backoff{kFirstWait, kLongestWait};
    int starts = 0;
    pid_t pid = 0;                // 0: not running.
    int wait_status = 0;          // As waitpid gave it; of the last run.
    Clock::time_point start;      // Of the current or the last run.
    Clock::time_point start_due;  // While it does not run.
  };

  // Until it is time to stop; an error: a program did not come up.
  absl::Status Watch();
  absl::Status StartDue();
  absl::Status PlanRestart(Child& child);
  absl::Status StopAll();
  absl::Status Stop(Child& child);
  std::optional<Clock::time_point> NextStart() const;
  // Whether it has ended since it was last asked.
  static bool Reap(Child& child);

  const std::chrono::milliseconds stop_timeout_;
  std::vector<Child> children_;
};

}  // namespace wakegate

#endif  // GATEWAY_LAUNCHER_SUPERVISOR_H_
