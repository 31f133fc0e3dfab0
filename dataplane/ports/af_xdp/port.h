// An existing network device (veth, a NIC, …) through AF_XDP. docs/ports/af_xdp.md
#ifndef DATAPLANE_PORTS_AF_XDP_PORT_H_
#define DATAPLANE_PORTS_AF_XDP_PORT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "dataplane/ports/port.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// `config` is valid and has its defaults filled in; `environment` has a block of each direction for
// each queue. Needs CAP_BPF, CAP_NET_ADMIN and CAP_NET_RAW, in the device's network namespace too;
// errors say what is missing and what to do. A foreign XDP program on the device is left alone:
// ALREADY_EXISTS, with its name.
//
// The port stays with its device when that is renamed. ReadDevice fails when the device was deleted
// or moved to another namespace; found again and opened again, it works. Control thread.
absl::StatusOr<std::unique_ptr<Port>> OpenAfXdpPort(const v1::AfXdpPort& config,
                                                    const PortEnvironment& environment);

// Whether there is what `config` names, as far as can be told while a port has it. Changes nothing.
absl::Status CheckAfXdpPort(const v1::AfXdpPort& config);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_PORT_H_
