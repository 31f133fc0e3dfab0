// Finds out who uses a tap.
#ifndef DATAPLANE_PORTS_TAP_HOLDER_H_
#define DATAPLANE_PORTS_TAP_HOLDER_H_

#include <string>

namespace wakegate {

// "qemu-system-x86, process 4711": a process that has a queue of a tap of that name open, in
// whatever network namespace. Empty where none can be seen (another user's, another PID
// namespace's). Reads all of /proc: for error texts only.
std::string FindTapHolder(const std::string& name);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_TAP_HOLDER_H_
