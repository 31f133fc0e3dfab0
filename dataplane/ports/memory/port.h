// A port whose device is a cable in memory.
#ifndef DATAPLANE_PORTS_MEMORY_PORT_H_
#define DATAPLANE_PORTS_MEMORY_PORT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "dataplane/ports/memory/cable.h"
#include "dataplane/ports/port.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// Plugs into the cable that `config` (valid, with its defaults) names. Packets pass without a copy
// and keep their offload requests. The MTU is the port's own.
absl::StatusOr<std::unique_ptr<Port>> OpenMemoryPort(const v1::MemoryPort& config,
                                                     const PortEnvironment& environment,
                                                     CableRegistry& cables);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_MEMORY_PORT_H_
