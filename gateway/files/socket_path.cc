#include "gateway/files/socket_path.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace wakegate {
namespace {

absl::Status ErrnoStatus(const char* call, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(call, " ", path));
}

// OK where nobody listens.
absl::Status CheckNobodyListens(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return ErrnoStatus("make a socket to try", path);
  const absl::Cleanup close_fd = [fd] { close(fd); };
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  // EAGAIN: a listener whose backlog is full (unix(7)), so it lives.
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 || errno == EAGAIN) {
    return absl::AlreadyExistsError(absl::StrCat(
        "listen on ", path, ": another process listens there; stop it or use another folder"));
  }
  return errno == ECONNREFUSED || errno == ENOENT ? absl::OkStatus() : ErrnoStatus("connect", path);
}

}  // namespace

absl::Status FreeSocketPath(const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "listen on ", path, ": the path has ", path.size(), " bytes, a socket's may have ",
        sizeof(sockaddr_un::sun_path) - 1, "; use a shorter folder"));
  }
  struct stat file = {};
  if (lstat(path.c_str(), &file) != 0) {
    return errno == ENOENT ? absl::OkStatus() : ErrnoStatus("lstat", path);
  }
  if (!S_ISSOCK(file.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("listen on ", path, ": something else than a socket is there; remove it"));
  }
  if (absl::Status status = CheckNobodyListens(path); !status.ok()) return status;
  return unlink(path.c_str()) == 0 || errno == ENOENT ? absl::OkStatus()
                                                      : ErrnoStatus("unlink", path);
}

}  // namespace wakegate
