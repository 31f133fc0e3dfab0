#include "gateway/launcher/program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

// The errno of what failed in the child is all that it says.
[[noreturn]] void Fail(int error_fd) {
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(error_fd, &error, sizeof(error));
  _exit(127);
}

// Between fork and execve. posix_spawn could set the mask, but not PR_SET_PDEATHSIG.
[[noreturn]] void Execute(char* const* argv, pid_t launcher, int error_fd) {
  // Ignored signals stay ignored across execve: a shell's `wakegate &` ignores SIGINT.
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0);
  // SIGKILL: with SIGTERM a stuck program would outlive the launcher and hold its ports.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) Fail(error_fd);
  // A launcher that died before prctl sends nothing.
  if (getppid() != launcher) _exit(127);
  execv(argv[0], argv);
  Fail(error_fd);
}

}  // namespace

absl::StatusOr<std::string> FindProgram(const std::string& name, const std::string& bazel_folder) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return absl::InternalError(absl::StrCat("readlink /proc/self/exe: ", error.message()));
  }
  const std::filesystem::path beside = self.parent_path() / name;
  // This executable is bazel-bin/gateway/launcher/wakegate.
  const std::filesystem::path built =
      self.parent_path().parent_path().parent_path() / bazel_folder / name;
  for (const std::filesystem::path& path : {beside, built}) {
    if (access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path)) return path;
  }
  return absl::NotFoundError(
      absl::StrCat(name, " is neither ", beside.string(), " nor ", built.string()));
}

absl::StatusOr<pid_t> StartProgram(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  // Closed by a successful execve; otherwise it brings errno.
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe2");
  const pid_t launcher = getpid();
  const pid_t child = fork();
  const int fork_error = errno;
  if (child == 0) Execute(argv.data(), launcher, error_pipe[1]);
  close(error_pipe[1]);
  int error = 0;
  ssize_t received = 0;
  if (child > 0) received = TEMP_FAILURE_RETRY(read(error_pipe[0], &error, sizeof(error)));
  close(error_pipe[0]);
  if (child < 0) return absl::ErrnoToStatus(fork_error, absl::StrCat("fork for ", command[0]));
  if (received == 0) return child;
  waitpid(child, nullptr, 0);
  return absl::ErrnoToStatus(error, absl::StrCat("execve ", command[0]));
}

}  // namespace wakegate
