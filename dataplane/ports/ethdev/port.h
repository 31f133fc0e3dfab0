// Any device of DPDK. docs/ports/ethdev.md
#ifndef DATAPLANE_PORTS_ETHDEV_PORT_H_
#define DATAPLANE_PORTS_ETHDEV_PORT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "dataplane/ports/port.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// Plugs the device in; the port unplugs it at its end. `config` is valid and has its defaults.
// Errors: as EthernetDevice::Plug; INVALID_ARGUMENT where the device has fewer queues;
// FAILED_PRECONDITION and others as the driver answers.
//
// The device runs while the port is up. ReadDevice fails once it was removed. Control thread.
absl::StatusOr<std::unique_ptr<Port>> OpenEthdevPort(const v1::EthdevPort& config,
                                                     const PortEnvironment& environment);

// Whether there is what `config` names, as far as can be told while a port has it. Changes nothing.
absl::Status CheckEthdevPort(const v1::EthdevPort& config);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_PORT_H_
