// Has net_memif stop to listen.
#ifndef DATAPLANE_PORTS_ETHDEV_MEMIF_LISTENERS_H_
#define DATAPLANE_PORTS_ETHDEV_MEMIF_LISTENERS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "dataplane/ports/ethdev/driver_callbacks.h"

namespace wakegate {

// Once the last device on a socket is closed, the driver (22.11) forgets it, and goes on listening:
// the next who connects has DPDK's interrupt thread ask for ever what to do with him. Control, one
// thread at a time.
class MemifListeners {
 public:
  // A device of these devargs was plugged in. `callbacks_before`: held.Arguments() before that.
  void Plugged(const std::string& devargs, const DriverCallbacksHeld& held,
               const std::set<void*>& callbacks_before);
  // It is about to be closed.
  void Closing(const std::string& devargs, DriverCallbacksHeld& held);

 private:
  struct Socket {
    uint32_t devices = 0;
    void* listener = nullptr;  // The argument of its callback; none: nobody listens.
  };

  std::map<std::string, Socket> sockets_;  // By name, as the driver shares them.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_MEMIF_LISTENERS_H_
