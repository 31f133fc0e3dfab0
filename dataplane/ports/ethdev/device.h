// A device of DPDK, from the moment it is plugged in until it is unplugged.
#ifndef DATAPLANE_PORTS_ETHDEV_DEVICE_H_
#define DATAPLANE_PORTS_ETHDEV_DEVICE_H_

#include <rte_ethdev.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace wakegate {

// Owns it. Plugging and unplugging: any thread, one at a time whatever they do.
class EthernetDevice {
 public:
  // Plugs in what `devargs` (valid) say. ALREADY_EXISTS: it is in use in this process. NOT_FOUND:
  // no such device, or no driver for it. FAILED_PRECONDITION: the driver refused it; what it says
  // itself is in the log.
  static absl::StatusOr<EthernetDevice> Plug(const std::string& devargs);
  // Whether a driver knows the name; Plug's error if not. Changes nothing.
  static absl::Status Check(const std::string& devargs);
  EthernetDevice(EthernetDevice&& other) noexcept
      : devargs_(std::move(other.devargs_)),
        name_(std::move(other.name_)),
        id_(std::exchange(other.id_, RTE_MAX_ETHPORTS)) {}
  // Closes and unplugs it. It is stopped.
  ~EthernetDevice();

  uint16_t id() const { return id_; }  // DPDK's port id.
  const std::string& name() const { return name_; }
  absl::StatusOr<rte_eth_dev_info> Info() const;
  // Of a call to DPDK about this device that returned `error`, negative: "stop net_memif0: …".
  absl::Status Error(int error, absl::string_view tried) const;

 private:
  EthernetDevice(std::string devargs, std::string name, uint16_t id)
      : devargs_(std::move(devargs)), name_(std::move(name)), id_(id) {}

  std::string devargs_;
  std::string name_;
  uint16_t id_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_DEVICE_H_
