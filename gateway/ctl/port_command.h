// wakegatectl explain port: how a port works, and why so.
#ifndef GATEWAY_CTL_PORT_COMMAND_H_
#define GATEWAY_CTL_PORT_COMMAND_H_

#include <string>

#include "absl/time/time.h"
#include "gateway/ctl/session.h"

namespace wakegate {

// With what it did in the next `interval`, which the call takes. As JSON or YAML: a
// wakegate.ctl.v1.PortReport.
ExitCode RunExplainPort(const std::string& port, absl::Duration interval, Session& session);

}  // namespace wakegate

#endif  // GATEWAY_CTL_PORT_COMMAND_H_
