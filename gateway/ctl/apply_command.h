// wakegatectl apply: make the gateway run a configuration.
#ifndef GATEWAY_CTL_APPLY_COMMAND_H_
#define GATEWAY_CTL_APPLY_COMMAND_H_

#include "gateway/ctl/config_sender.h"
#include "gateway/ctl/session.h"

namespace wakegate {

ExitCode RunApply(const ApplyOptions& options, Session& session);

}  // namespace wakegate

#endif  // GATEWAY_CTL_APPLY_COMMAND_H_
