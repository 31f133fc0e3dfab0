// The command line of wakegatectl.
#ifndef GATEWAY_CTL_COMMAND_LINE_H_
#define GATEWAY_CTL_COMMAND_LINE_H_

#include "gateway/ctl/session.h"

namespace wakegate {

// Runs the one command that the arguments name and gives the process's exit code (ExitCode).
int RunCommandLine(int argc, const char* const* argv, const Console& console);

}  // namespace wakegate

#endif  // GATEWAY_CTL_COMMAND_LINE_H_
