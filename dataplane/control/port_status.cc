#include "dataplane/control/port_status.h"

#include <string>

namespace wakegate {

v1::PortStatus OpenPortStatus(const v1::Port& config, const DeviceState& device) {
  v1::PortStatus status;
  status.set_mtu(device.mtu);
  status.set_mac_address(device.mac_address);
  status.set_interface(device.interface);
  status.set_network_namespace(device.network_namespace);
  if (!config.admin_up()) {
    status.set_state(v1::PortStatus::STATE_ADMIN_DOWN);
  } else if (!device.admin_up) {
    status.set_state(v1::PortStatus::STATE_NO_CARRIER);
    status.set_state_text("the interface was put down by somebody else");
  } else if (!device.carrier) {
    status.set_state(v1::PortStatus::STATE_NO_CARRIER);
  } else {
    status.set_state(v1::PortStatus::STATE_UP);
  }
  return status;
}

v1::PortStatus FailedPortStatus(const absl::Status& failure) {
  v1::PortStatus status;
  status.set_state(v1::PortStatus::STATE_FAILED);
  status.set_state_text(std::string(failure.message()));
  return status;
}

}  // namespace wakegate
