// DPDK's way to write a device and its arguments.
#ifndef GATEWAY_CONFIG_DEVARGS_H_
#define GATEWAY_CONFIG_DEVARGS_H_

#include <string>

namespace wakegate {

// The device that `devargs` names, as DPDK calls it: "net_memif0" of
// "vdev:net_memif0,role=client", "0000:03:00.0" of "03:00.0" and of "pci:0000:03:00.0". Two devargs
// of one device yield the same. Pure.
std::string DeviceOfDevargs(const std::string& devargs);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_DEVARGS_H_
