#include "dataplane/ports/ethdev/stale_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "dataplane/kernel/file_descriptor.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

// doc/guides/nics/memif.rst
constexpr char kDefaultPath[] = "/run/memif.sock";

// Where it listens; nullopt where it does not, or not on a file.
std::optional<std::string> ListeningPath(const std::string& devargs) {
  if (!absl::StartsWith(devargs, "net_memif")) return std::nullopt;
  std::string path = kDefaultPath;
  bool listens = false;
  bool is_file = false;
  for (absl::string_view argument : absl::StrSplit(devargs, ',')) {
    listens |= argument == "role=server" || argument == "role=master";
    is_file |= argument == "socket-abstract=no";
    if (absl::ConsumePrefix(&argument, "socket=")) path = std::string(argument);
  }
  if (!listens || !is_file || path.size() >= sizeof(sockaddr_un::sun_path)) return std::nullopt;
  return path;
}

// Whether it is a socket, and nobody listens. To another file, connect gives the same answer.
bool IsStale(const std::string& path) {
  struct stat file = {};
  if (lstat(path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return socket.valid() &&
         connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

void RemoveStaleSocket(const std::string& devargs) {
  const std::optional<std::string> path = ListeningPath(devargs);
  if (!path.has_value() || !IsStale(*path)) return;
  if (unlink(path->c_str()) == 0) {
    spdlog::info("{}: removed {}, on which nobody listens any more", devargs, *path);
  } else {
    spdlog::warn("{}: nobody listens on {} any more, and it cannot be removed: {}", devargs, *path,
                 std::strerror(errno));
  }
}

}  // namespace wakegate
