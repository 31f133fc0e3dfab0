// The socket of a net_memif, as its devargs name it.
#ifndef DATAPLANE_PORTS_ETHDEV_MEMIF_SOCKET_H_
#define DATAPLANE_PORTS_ETHDEV_MEMIF_SOCKET_H_

#include <optional>
#include <string>

namespace wakegate {

// doc/guides/nics/memif.rst
struct MemifSocket {
  std::string name = "/run/memif.sock";  // Of a file, or abstract.
  bool is_file = false;
  bool listens = false;  // A server does, a client connects.
};

// nullopt: of another driver. Pure.
std::optional<MemifSocket> MemifSocketOf(const std::string& devargs);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_MEMIF_SOCKET_H_
