// The network device of an attached tap.
#ifndef DATAPLANE_PORTS_TAP_DEVICE_H_
#define DATAPLANE_PORTS_TAP_DEVICE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/netdev/network_device.h"
#include "dataplane/netdev/network_namespace.h"

namespace wakegate {

// Stays with the device wherever it goes: a tap is often moved to the network namespace of the
// host that uses it, where it gets another index and cannot be seen from here, while its queues go
// on as if nothing had happened. Reaching into another namespace takes CAP_SYS_ADMIN.
//
// Errors: NOT_FOUND where the device was deleted. One thread at a time.
class TapDevice {
 public:
  // `queue`: any queue of the tap `name`, which is in the calling thread's namespace. `own`: the
  // gateway's.
  static absl::StatusOr<TapDevice> Open(FileDescriptor queue, absl::string_view name,
                                        const NetworkNamespace& own);

  // Where it was at the last call.
  int index() const { return device_.index(); }
  const std::string& name() const { return device_.name(); }
  // As NetworkNamespace::Name has it; empty: the gateway's own.
  const std::string& network_namespace() const { return network_namespace_; }
  bool IsIn(const NetworkNamespace& network) const { return network.inode() == inode_; }

  absl::StatusOr<LinkState> Read();
  // On error the device is as it was.
  absl::Status SetUp(bool up);
  // Whether the host sees the cable plugged in; it does once a queue is attached.
  absl::Status SetCarrier(bool on);
  absl::Status SetMtu(uint32_t mtu);
  absl::Status SetMacAddress(absl::string_view mac_address);
  // Notes `mark` on it unless somebody else has noted something.
  absl::Status Mark(const std::string& mark);
  // Whether it outlives its queues.
  absl::Status SetPersistent(bool persistent);

 private:
  TapDevice(FileDescriptor queue, NetworkDevice device, ino_t own, const NetworkNamespace& where)
      : queue_(std::move(queue)), device_(std::move(device)), own_(own) {
    SetNamespace(where);
  }
  void SetNamespace(const NetworkNamespace& where);
  // Finds the device again where it has moved.
  absl::Status Follow();

  FileDescriptor queue_;
  NetworkDevice device_;
  ino_t own_;        // The gateway's network namespace.
  ino_t inode_ = 0;  // The one in which device_ was found.
  std::string network_namespace_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_TAP_DEVICE_H_
