#include "gateway/files/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace wakegate {
namespace {

absl::Status ErrnoStatus(const char* call, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(call, " ", path));
}

absl::Status WriteAll(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus("write", path);
    content.remove_prefix(written);
  }
  return absl::OkStatus();
}

// A rename is on the disk once its folder is. rename(2) itself only promises the order.
absl::Status SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus("open", folder);
  const absl::Cleanup close_fd = [fd] { close(fd); };
  return fsync(fd) == 0 ? absl::OkStatus() : ErrnoStatus("fsync", folder);
}

absl::Status RenameDurably(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) {
    return ErrnoStatus("rename", absl::StrCat(from, " to ", to));
  }
  return SyncFolderOf(to);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path)
    : path_(std::filesystem::absolute(path).string()),
      unfinished_path_(absl::StrCat(path_, ".new")) {}

absl::StatusOr<std::string> AtomicFile::Read() const {
  const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus("open", path_);
  const absl::Cleanup close_fd = [fd] { close(fd); };
  std::string content;
  char buffer[16384];
  while (true) {
    const ssize_t size = read(fd, buffer, sizeof(buffer));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return ErrnoStatus("read", path_);
    if (size == 0) return content;
    content.append(buffer, size);
  }
}

absl::Status AtomicFile::Prepare(std::string_view content) const {
  const int fd = open(unfinished_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
  if (fd < 0) return ErrnoStatus("open", unfinished_path_);
  const absl::Cleanup close_fd = [fd] { close(fd); };
  absl::Status status = WriteAll(fd, content, unfinished_path_);
  if (status.ok() && fsync(fd) != 0) status = ErrnoStatus("fsync", unfinished_path_);
  if (!status.ok()) unlink(unfinished_path_.c_str());  // A full disk is not to stay full for it.
  return status;
}

absl::Status AtomicFile::Commit() const { return RenameDurably(unfinished_path_, path_); }

absl::Status AtomicFile::Write(std::string_view content) const {
  if (absl::Status status = Prepare(content); !status.ok()) return status;
  return Commit();
}

absl::StatusOr<std::string> AtomicFile::PutAside() const {
  std::string aside = absl::StrCat(
      path_, ".bad-", absl::FormatTime("%Y%m%dT%H%M%E3SZ", absl::Now(), absl::UTCTimeZone()));
  if (absl::Status status = RenameDurably(path_, aside); !status.ok()) return status;
  return aside;
}

}  // namespace wakegate
