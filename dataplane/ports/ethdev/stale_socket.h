// Sockets that a process has left behind.
#ifndef DATAPLANE_PORTS_ETHDEV_STALE_SOCKET_H_
#define DATAPLANE_PORTS_ETHDEV_STALE_SOCKET_H_

#include <string>

namespace wakegate {

// Removes the socket file on which a net_memif of these devargs is going to listen, where nobody
// listens on it: a process that was killed has left it behind, the driver would take it for one in
// use, and would not let go of the device's name again (DPDK 22.11). Does nothing for others.
void RemoveStaleSocket(const std::string& devargs);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_STALE_SOCKET_H_
