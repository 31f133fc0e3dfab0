// What is told of a port's device. Pure.
#ifndef DATAPLANE_CONTROL_PORT_STATUS_H_
#define DATAPLANE_CONTROL_PORT_STATUS_H_

#include "absl/status/status.h"
#include "dataplane/ports/port.h"
#include "wakegate/v1/config.pb.h"
#include "wakegate/v1/gateway.pb.h"

namespace wakegate {

// State, MTU and MAC of an open device.
v1::PortStatus OpenPortStatus(const v1::Port& config, const DeviceState& device);
// State of a port whose device could not be opened or has failed.
v1::PortStatus FailedPortStatus(const absl::Status& failure);

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_PORT_STATUS_H_
