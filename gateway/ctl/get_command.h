// wakegatectl get: what is configured, and what it is doing.
#ifndef GATEWAY_CTL_GET_COMMAND_H_
#define GATEWAY_CTL_GET_COMMAND_H_

#include <string>

#include "gateway/ctl/session.h"

namespace wakegate {

// The configuration, so that `apply -f` takes it; as YAML where no format is asked for.
ExitCode RunGetConfig(Session& session);
ExitCode RunGetPorts(Session& session);
// What can be tuned; `tune get` has the values.
ExitCode RunGetKnobs(Session& session);
ExitCode RunGetStatus(Session& session);
// What the driver of the port's device counts.
ExitCode RunGetDeviceStats(const std::string& port, Session& session);

}  // namespace wakegate

#endif  // GATEWAY_CTL_GET_COMMAND_H_
