// The thread that looks after the devices.
#ifndef DATAPLANE_CONTROL_HOUSEKEEPING_H_
#define DATAPLANE_CONTROL_HOUSEKEEPING_H_

#include <memory>
#include <optional>
#include <thread>

#include "absl/status/statusor.h"
#include "dataplane/control/gateway.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/netdev/link_monitor.h"

namespace wakegate {

// Calls the gateway's Tick each second, and soon after network devices have changed.
class Housekeeping {
 public:
  // Starts the thread. `gateway` outlives it.
  static absl::StatusOr<std::unique_ptr<Housekeeping>> Start(Gateway& gateway);
  // Ends it, after the Tick it is in.
  ~Housekeeping();
  Housekeeping(const Housekeeping&) = delete;
  Housekeeping& operator=(const Housekeeping&) = delete;

 private:
  Housekeeping(Gateway& gateway, LinkMonitor monitor, FileDescriptor stop);
  void Run();
  // Waits for the next Tick. Says whether devices have changed; nullopt: the end.
  std::optional<bool> Wait();
  // Whether they have since it was asked last.
  bool DevicesHaveChanged();

  Gateway& gateway_;
  LinkMonitor monitor_;
  FileDescriptor stop_;  // An eventfd; readable: the end.
  std::thread thread_;
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_HOUSEKEEPING_H_
