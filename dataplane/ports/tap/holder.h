// Finds out who uses a tap.
#ifndef DATAPLANE_PORTS_TAP_HOLDER_H_
#define DATAPLANE_PORTS_TAP_HOLDER_H_

#include <string>

namespace wakegate {

// "qemu-system-x86, process 4711": a process in the calling thread's network namespace that has a
// queue of a tap of that name open. Empty where none can be seen: it may be in another namespace or
// another user's. Reads all of /proc: for error texts only.
std::string FindTapHolder(const std::string& name);

// Whether it is this process: it has a queue of the tap of that name in the calling thread's
// network namespace open. Reads all of its open files: for error texts only.
bool IsTapHeldHere(const std::string& name);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_TAP_HOLDER_H_
