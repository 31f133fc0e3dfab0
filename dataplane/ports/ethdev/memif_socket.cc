#include "dataplane/ports/ethdev/memif_socket.h"

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace wakegate {

// Server was called master before.
std::optional<MemifSocket> MemifSocketOf(const std::string& devargs) {
  if (!absl::StartsWith(devargs, "net_memif")) return std::nullopt;
  MemifSocket socket;
  for (absl::string_view argument : absl::StrSplit(devargs, ',')) {
    socket.listens |= argument == "role=server" || argument == "role=master";
    socket.is_file |= argument == "socket-abstract=no";
    if (absl::ConsumePrefix(&argument, "socket=")) socket.name = std::string(argument);
  }
  return socket;
}

}  // namespace wakegate
