#include "gateway/launcher/supervisor.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/launcher/program.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

using Clock = Supervisor::Clock;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

sigset_t WatchedSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

// The next of the watched signals; 0: the time `until` has come.
int WaitForSignal(std::optional<Clock::time_point> until) {
  const sigset_t signals = WatchedSignals();
  while (true) {
    int signal = 0;
    if (until.has_value()) {
      const auto left = std::max<nanoseconds>(*until - Clock::now(), nanoseconds(0));
      const timespec timeout = {.tv_sec = duration_cast<seconds>(left).count(),
                                .tv_nsec = (left % seconds(1)).count()};
      signal = sigtimedwait(&signals, nullptr, &timeout);
    } else {
      signal = sigwaitinfo(&signals, nullptr);
    }
    if (signal > 0) return signal;
    if (errno == EAGAIN) return 0;
    // EINTR: this process was stopped and continued.
  }
}

std::string DescribeEnd(int wait_status) {
  if (WIFEXITED(wait_status)) {
    return absl::StrCat("exited with status ", WEXITSTATUS(wait_status));
  }
  const int signal = WTERMSIG(wait_status);
  return absl::StrCat("was ended by signal ", signal, " (", strsignal(signal), ")");
}

}  // namespace

void Supervisor::Add(std::string name, std::vector<std::string> command) {
  Child& child = children_.emplace_back();
  child.name = std::move(name);
  child.command = std::move(command);
}

absl::Status Supervisor::Run() {
  // Ignored, as a parent may have left it, SIGCHLD would take the exit statuses away.
  std::signal(SIGCHLD, SIG_DFL);
  const sigset_t signals = WatchedSignals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);

  const absl::Status watched = Watch();
  const absl::Status stopped = StopAll();
  return watched.ok() ? stopped : watched;
}

absl::Status Supervisor::Watch() {
  while (true) {
    if (absl::Status status = StartDue(); !status.ok()) return status;
    const int signal = WaitForSignal(NextStart());
    if (signal == SIGCHLD) {
      for (Child& child : children_) {
        if (!Reap(child)) continue;
        if (absl::Status status = PlanRestart(child); !status.ok()) return status;
      }
    } else if (signal != 0) {
      spdlog::info("{}: stopping", strsignal(signal));
      return absl::OkStatus();
    }
  }
}

absl::Status Supervisor::StartDue() {
  for (Child& child : children_) {
    if (child.pid != 0 || child.start_due > Clock::now()) continue;
    child.start = Clock::now();
    absl::StatusOr<pid_t> pid = StartProgram(child.command);
    if (pid.ok()) {
      child.pid = *pid;
      ++child.starts;
      spdlog::info("{} started, pid {}", child.name, *pid);
    } else if (child.starts == 0) {
      return pid.status();
    } else {
      // It may be under replacement; the other programs still do their work.
      child.start_due = Clock::now() + child.backoff.Next();
      spdlog::error("{}", std::string(pid.status().message()));
    }
  }
  return absl::OkStatus();
}

absl::Status Supervisor::PlanRestart(Child& child) {
  const auto ran = duration_cast<milliseconds>(Clock::now() - child.start);
  if (child.starts == 1 && ran < kStartPeriod && WIFEXITED(child.wait_status)) {
    return absl::FailedPreconditionError(
        absl::StrCat(child.name, " ", DescribeEnd(child.wait_status), " as soon as it started"));
  }
  if (ran >= kHealthyRun) child.backoff.Reset();
  const milliseconds wait = child.backoff.Next();
  child.start_due = Clock::now() + wait;
  spdlog::warn("{} {} after {} ms; starting it again in {} ms", child.name,
               DescribeEnd(child.wait_status), ran.count(), wait.count());
  return absl::OkStatus();
}

std::optional<Clock::time_point> Supervisor::NextStart() const {
  std::optional<Clock::time_point> next;
  for (const Child& child : children_) {
    if (child.pid == 0 && (!next.has_value() || child.start_due < *next)) next = child.start_due;
  }
  return next;
}

bool Supervisor::Reap(Child& child) {
  if (child.pid == 0 || waitpid(child.pid, &child.wait_status, WNOHANG) != child.pid) return false;
  child.pid = 0;
  return true;
}

absl::Status Supervisor::StopAll() {
  absl::Status first_error;
  for (auto child = children_.rbegin(); child != children_.rend(); ++child) {
    first_error.Update(Stop(*child));
  }
  return first_error;
}

absl::Status Supervisor::Stop(Child& child) {
  if (child.pid == 0) return absl::OkStatus();
  kill(child.pid, SIGTERM);
  const Clock::time_point deadline = Clock::now() + stop_timeout_;
  while (!Reap(child)) {
    if (Clock::now() >= deadline) {
      kill(child.pid, SIGKILL);
      waitpid(child.pid, &child.wait_status, 0);
      child.pid = 0;
      return absl::DeadlineExceededError(absl::StrCat(child.name, " had not ended ",
                                                      stop_timeout_.count(),
                                                      " ms after SIGTERM and was killed"));
    }
    WaitForSignal(deadline);
  }
  spdlog::info("{} {}", child.name, DescribeEnd(child.wait_status));
  // Ended by the SIGTERM itself: it had nothing to clean up yet.
  const bool clean = WIFEXITED(child.wait_status) ? WEXITSTATUS(child.wait_status) == 0
                                                  : WTERMSIG(child.wait_status) == SIGTERM;
  if (clean) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(child.name, " ", DescribeEnd(child.wait_status), " when told to stop"));
}

}  // namespace wakegate
