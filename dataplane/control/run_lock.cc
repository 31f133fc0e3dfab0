#include "dataplane/control/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace wakegate {

absl::StatusOr<FileDescriptor> LockRunDirectory(const std::string& run_dir) {
  std::error_code error;
  std::filesystem::create_directories(run_dir, error);
  if (error) {
    return absl::ErrnoToStatus(error.value(), absl::StrCat("make the run directory ", run_dir));
  }
  const std::string path = absl::StrCat(run_dir, "/dataplane.lock");
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (!file.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno == EWOULDBLOCK) {
    return absl::AlreadyExistsError(absl::StrCat("another wakegate-dataplane runs with --run-dir ",
                                                 run_dir, "; stop it or name another"));
  }
  return absl::ErrnoToStatus(errno, absl::StrCat("lock ", path));
}

}  // namespace wakegate
