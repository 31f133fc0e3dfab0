#include "dataplane/control/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(500);

// 0, or the errno.
int LockWithPatience(int file) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= give_up) return errno;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return 0;
}

}  // namespace

absl::StatusOr<FileDescriptor> LockRunDirectory(const std::string& run_dir) {
  std::error_code folder_error;
  std::filesystem::create_directories(run_dir, folder_error);
  if (folder_error) {
    return absl::ErrnoToStatus(folder_error.value(),
                               absl::StrCat("make the run directory ", run_dir));
  }
  const std::string path = absl::StrCat(run_dir, "/dataplane.lock");
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (!file.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  const int error = LockWithPatience(file.get());
  if (error == 0) return file;
  if (error == EWOULDBLOCK) {
    return absl::AlreadyExistsError(absl::StrCat("another wakegate-dataplane runs with --run-dir ",
                                                 run_dir, "; stop it or name another"));
  }
  return absl::ErrnoToStatus(error, absl::StrCat("lock ", path));
}

}  // namespace wakegate
