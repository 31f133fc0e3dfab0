#include "gateway/files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
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

// Only for the error of the next one: the lock holds without it.
void WriteHolder(int file) {
  const std::string text = absl::StrCat(getpid(), "\n");
  if (ftruncate(file, 0) == 0) (void)!pwrite(file, text.data(), text.size(), 0);
}

// " (process 12)", or nothing where the file does not tell.
std::string HolderText(int file) {
  std::array<char, 16> text;
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  int pid = 0;
  if (size <= 0 || !absl::SimpleAtoi(absl::string_view(text.data(), size), &pid)) return "";
  return absl::StrCat(" (process ", pid, ")");
}

}  // namespace

absl::StatusOr<FolderLock> FolderLock::Take(const std::string& folder, const FolderUse& use) {
  std::error_code folder_error;
  std::filesystem::create_directories(folder, folder_error);
  if (folder_error) {
    return absl::ErrnoToStatus(folder_error.value(), absl::StrCat("make the folder ", folder));
  }
  const std::string path = absl::StrCat(folder, "/", use.file);
  FolderLock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (lock.fd_ < 0) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  const int error = LockWithPatience(lock.fd_);
  if (error == 0) {
    WriteHolder(lock.fd_);
    return lock;
  }
  if (error == EWOULDBLOCK) {
    return absl::AlreadyExistsError(absl::StrCat("another ", use.program, HolderText(lock.fd_),
                                                 " runs with ", use.flag, " ", folder,
                                                 "; stop it or name another"));
  }
  return absl::ErrnoToStatus(error, absl::StrCat("lock ", path));
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace wakegate
