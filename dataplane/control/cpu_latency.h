// How deep idle CPUs may sleep.
#ifndef DATAPLANE_CONTROL_CPU_LATENCY_H_
#define DATAPLANE_CONTROL_CPU_LATENCY_H_

#include "absl/status/status.h"
#include "dataplane/kernel/file_descriptor.h"

namespace wakegate {

// Asks the kernel to let no CPU of the machine sleep so that it takes time to wake
// (Documentation/power/pm_qos_interface.rst, /dev/cpu_dma_latency), for as long as it is wanted.
// Control thread.
class CpuLatency {
 public:
  // On error it is as it was.
  absl::Status Want(bool low);

 private:
  FileDescriptor request_;  // Holds while it is open.
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_CPU_LATENCY_H_
