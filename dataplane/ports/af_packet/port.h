// An existing network device (veth, a NIC, …) through packet sockets. docs/ports/af_packet.md
#ifndef DATAPLANE_PORTS_AF_PACKET_PORT_H_
#define DATAPLANE_PORTS_AF_PACKET_PORT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "dataplane/ports/port.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// The device is one of the calling thread's network namespace. `config` has its defaults filled in;
// `environment` has one block of each direction. Needs CAP_NET_RAW, and CAP_NET_ADMIN to change the
// device; errors say what is missing and what to do.
//
// The port stays with its device when that is renamed. ReadDevice fails when the device is gone,
// and when the kernel has stopped using the receive ring (docs/ports/af_packet.md); opened again,
// it works. Control thread.
absl::StatusOr<std::unique_ptr<Port>> OpenAfPacketPort(const v1::AfPacketPort& config,
                                                       const PortEnvironment& environment);

// Whether there is what `config` names, as far as can be told while a port has it. Changes nothing.
absl::Status CheckAfPacketPort(const v1::AfPacketPort& config);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_PACKET_PORT_H_
