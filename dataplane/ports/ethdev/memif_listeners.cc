#include "dataplane/ports/ethdev/memif_listeners.h"

#include <optional>

#include "dataplane/ports/ethdev/memif_socket.h"

namespace wakegate {

// While a device is plugged in, the driver registers nothing but the listener of a new socket.
void MemifListeners::Plugged(const std::string& devargs, const DriverCallbacksHeld& held,
                             const std::set<void*>& callbacks_before) {
  const std::optional<MemifSocket> name = MemifSocketOf(devargs);
  if (!name.has_value()) return;
  Socket& socket = sockets_[name->name];
  ++socket.devices;
  for (void* argument : held.Arguments()) {
    if (!callbacks_before.contains(argument)) socket.listener = argument;
  }
}

void MemifListeners::Closing(const std::string& devargs, DriverCallbacksHeld& held) {
  const std::optional<MemifSocket> name = MemifSocketOf(devargs);
  if (!name.has_value()) return;
  Socket& socket = sockets_[name->name];
  if (--socket.devices > 0) return;
  if (socket.listener != nullptr) held.TakeBack(socket.listener);
  sockets_.erase(name->name);
}

}  // namespace wakegate
