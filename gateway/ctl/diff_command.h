// wakegatectl diff: what a configuration would change.
#ifndef GATEWAY_CTL_DIFF_COMMAND_H_
#define GATEWAY_CTL_DIFF_COMMAND_H_

#include <string>

#include "gateway/ctl/session.h"

namespace wakegate {

// `file`: "-" is standard input. kDifferent where there are differences.
ExitCode RunDiff(const std::string& file, Session& session);

}  // namespace wakegate

#endif  // GATEWAY_CTL_DIFF_COMMAND_H_
