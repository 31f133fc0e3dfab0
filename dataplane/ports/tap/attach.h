// Makes a tap device, or attaches to one.
#ifndef DATAPLANE_PORTS_TAP_ATTACH_H_
#define DATAPLANE_PORTS_TAP_ATTACH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dataplane/kernel/file_descriptor.h"

namespace wakegate {

struct AttachedTap {
  // One for each queue, non-blocking. Each packet has a virtio_net_hdr before it, in little endian.
  std::vector<FileDescriptor> queues;
  // Whether the kernel knows UDP segmentation, so that it takes such packets too.
  bool udp_segmentation = false;
};

// The tap `name` in the network namespace of the calling thread. Offers the kernel all offloads
// that the gateway can complete: the host then leaves checksums and segmentation to us. A device
// that had to be made goes with the last of its queues, unless it is then made persistent.
//
// Waits for a quarter of a second where the device is busy: one that has just been closed may be
// for a moment. Errors say what to do: no /dev/net/tun, no CAP_NET_ADMIN, held by another process
// (which one), a device of that name that is no tap or has not several queues.
absl::StatusOr<AttachedTap> AttachTap(const std::string& name, uint32_t queues);

// INVALID_ARGUMENT where the device `name` of that namespace is no tap.
absl::Status CheckMayBeTap(const std::string& name);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_TAP_ATTACH_H_
