// A tap: the host, or a namespace or VM of it, is at the other end. docs/ports/tap.md
#ifndef DATAPLANE_PORTS_TAP_PORT_H_
#define DATAPLANE_PORTS_TAP_PORT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "dataplane/ports/port.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// Makes the device where there is none of that name in the calling thread's network namespace; it
// is then down. `config` has its defaults filled in; `environment` has a block of each direction
// for each queue. Needs /dev/net/tun and CAP_NET_ADMIN; errors say what is missing and what to do.
//
// The port stays with its device when the host renames it or moves it to another namespace; there,
// all but the traffic takes CAP_SYS_ADMIN. Control thread.
absl::StatusOr<std::unique_ptr<Port>> OpenTapPort(const v1::TapPort& config,
                                                  const PortEnvironment& environment);

// Whether there is what `config` names, as far as can be told while a port has it. Changes nothing.
absl::Status CheckTapPort(const v1::TapPort& config);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_TAP_PORT_H_
