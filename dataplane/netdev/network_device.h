// A network device of the kernel: finds it, reads it, sets it up.
#ifndef DATAPLANE_NETDEV_NETWORK_DEVICE_H_
#define DATAPLANE_NETDEV_NETWORK_DEVICE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dataplane/netdev/netlink_socket.h"

namespace wakegate {

// The kernel's 64-bit counts of a device since it was made (rtnl_link_stats64), from the kernel's
// side: of a tap, rx is what we wrote.
struct LinkCounters {
  uint64_t rx_packets = 0;
  uint64_t tx_packets = 0;
  uint64_t rx_bytes = 0;
  uint64_t tx_bytes = 0;
  uint64_t rx_dropped = 0;
  uint64_t tx_dropped = 0;
  uint64_t rx_errors = 0;
  uint64_t tx_errors = 0;
};

// A device as the kernel told it at one moment.
struct LinkState {
  std::string name;
  int index = 0;
  bool admin_up = false;
  bool carrier = false;  // False too while admin_up is.
  uint32_t mtu = 0;
  std::string mac_address;  // "02:00:00:00:00:01"; empty where it is no 6 bytes.
  std::string alias;        // What somebody has noted on it (ip link set … alias).
  bool ethernet = false;    // ARPHRD_ETHER; false for tun, wireguard, ipip, …, and loopback.
  std::string kind;         // "veth", "tun", …; empty for hardware and loopback.
  uint32_t tun_queues = 0;  // Of a tun or tap: how many are open, also those that are disabled.
  LinkCounters counters;
};

// Refers to a device by its index in one network namespace, so that it stays the same one when
// it is renamed. Holds one file descriptor. One thread at a time.
//
// Errors read like `set MTU of veth0 to 70000: Invalid argument (mtu greater than device maximum)`,
// with NOT_FOUND where the device does not exist (any more) in that namespace.
class NetworkDevice {
 public:
  // In the network namespace of the calling thread.
  static absl::StatusOr<NetworkDevice> Find(absl::string_view name);
  // All devices of a kind ("veth", "tun", …) in the network namespace of the calling thread.
  static absl::StatusOr<std::vector<LinkState>> List(const char* kind);

  // Constant.
  int index() const { return index_; }
  // As of the last Read.
  const std::string& name() const { return name_; }

  absl::StatusOr<LinkState> Read();
  // On error the device is as it was.
  absl::Status SetUp(bool up);
  absl::Status SetMtu(uint32_t mtu);
  // As in LinkState.
  absl::Status SetMacAddress(absl::string_view mac_address);
  // At most 255 bytes.
  absl::Status SetAlias(const std::string& alias);

 private:
  NetworkDevice(NetlinkSocket socket, const LinkState& state)
      : socket_(std::move(socket)), index_(state.index), name_(state.name) {}
  NetlinkSocket socket_;
  int index_;
  std::string name_;
};

}  // namespace wakegate

#endif  // DATAPLANE_NETDEV_NETWORK_DEVICE_H_
