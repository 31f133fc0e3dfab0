#include "dataplane/ports/ethdev/stale_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/ports/ethdev/memif_socket.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

// Whether it is a socket, and nobody listens. To another file, connect gives the same answer.
bool IsStale(const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) return false;
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
  const std::optional<MemifSocket> socket = MemifSocketOf(devargs);
  if (!socket.has_value() || !socket->listens || !socket->is_file) return;
  const std::string& path = socket->name;
  if (!IsStale(path)) return;
  if (unlink(path.c_str()) == 0) {
    spdlog::info("{}: removed {}, on which nobody listens any more", devargs, path);
  } else {
    spdlog::warn("{}: nobody listens on {} any more, and it cannot be removed: {}", devargs, path,
                 std::strerror(errno));
  }
}

}  // namespace wakegate
