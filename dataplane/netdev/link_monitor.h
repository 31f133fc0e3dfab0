// Tells when network devices change or vanish.
#ifndef DATAPLANE_NETDEV_LINK_MONITOR_H_
#define DATAPLANE_NETDEV_LINK_MONITOR_H_

#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "dataplane/netdev/netlink_socket.h"

namespace wakegate {

// What has happened since the last look. The events tell where to look, not what is there: read
// the device for that (a device may have changed again meanwhile).
struct LinkEvents {
  // Interface indexes.
  std::set<int> changed;   // Came, or its state, name, MTU or carrier changed.
  std::set<int> vanished;  // Was deleted, or moved to another network namespace.
  // The kernel had more events than the socket could hold: any device may have changed or vanished.
  bool overrun = false;
};

// Watches the devices of the network namespace in which it was opened. Starts no thread: whoever
// owns it polls fd() and calls ReadEvents. One thread at a time.
class LinkMonitor {
 public:
  // Events from now on are seen.
  static absl::StatusOr<LinkMonitor> Open();

  // Readable when there are events.
  int fd() const { return socket_.fd(); }
  // All events so far; never blocks. An error: the socket is of no use any more.
  absl::StatusOr<LinkEvents> ReadEvents();

 private:
  explicit LinkMonitor(NetlinkSocket socket) : socket_(std::move(socket)) {}

  NetlinkSocket socket_;
};

}  // namespace wakegate

#endif  // DATAPLANE_NETDEV_LINK_MONITOR_H_
