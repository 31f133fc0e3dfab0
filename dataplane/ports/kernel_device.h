// What ports tell of a network device of the kernel.
#ifndef DATAPLANE_PORTS_KERNEL_DEVICE_H_
#define DATAPLANE_PORTS_KERNEL_DEVICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "dataplane/netdev/network_device.h"
#include "dataplane/ports/port.h"

namespace wakegate {

// A device with its state when it was found.
struct FoundDevice {
  NetworkDevice device;
  LinkState link;
};

// That of the calling thread's network namespace. NOT_FOUND; INVALID_ARGUMENT where it is another
// kind of device.
absl::StatusOr<FoundDevice> FindEthernetDevice(const std::string& interface);

inline DeviceState DeviceStateOf(const LinkState& link) {
  return {.admin_up = link.admin_up,
          .carrier = link.carrier,
          .mtu = link.mtu,
          .mac_address = link.mac_address,
          .interface = link.name};
}

// What came between two readings. Pure.
inline KernelCounters CountedBetween(const LinkCounters& then, const LinkCounters& now) {
  KernelCounters counters;
  counters.rx_packets = now.rx_packets - then.rx_packets;
  counters.tx_packets = now.tx_packets - then.tx_packets;
  counters.rx_dropped = now.rx_dropped - then.rx_dropped;
  counters.tx_dropped = now.tx_dropped - then.tx_dropped;
  counters.rx_errors = now.rx_errors - then.rx_errors;
  counters.tx_errors = now.tx_errors - then.tx_errors;
  return counters;
}

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_KERNEL_DEVICE_H_
