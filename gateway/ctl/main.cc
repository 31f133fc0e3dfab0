#include <unistd.h>

#include <iostream>

#include "gateway/ctl/command_line.h"
#include "grpc/support/log.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  // What goes wrong reaches the user as the status of a call.
  gpr_set_log_function([](gpr_log_func_args*) {});
  return wakegate::RunCommandLine(argc, argv,
                                  {.in = std::cin,
                                   .out = std::cout,
                                   .err = std::cerr,
                                   .terminal_fd = isatty(STDOUT_FILENO) != 0 ? STDOUT_FILENO : -1});
}
