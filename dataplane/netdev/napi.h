// The kernel's instances of packet processing (NAPI), of which a device has one for each queue or
// for several (Documentation/networking/napi.rst). Control thread.
#ifndef DATAPLANE_NETDEV_NAPI_H_
#define DATAPLANE_NETDEV_NAPI_H_

#include <chrono>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace wakegate {

// How long an instance leaves packets to who polls it, before an interrupt or a softirq is had for
// them.
struct NapiDeferral {
  uint32_t hard_irqs = 0;  // So many empty polls; 0: none.
  std::chrono::nanoseconds flush_timeout{0};

  bool operator==(const NapiDeferral&) const = default;
};

struct Napi {
  uint32_t id = 0;  // Never 0 of an instance.
  NapiDeferral deferral;
};

// The instances of a device of the calling thread's network namespace, by their ids, which grow in
// the order in which the driver made them. An error: the kernel is older than 6.8, which has no
// such list (Documentation/netlink/specs/netdev.yaml).
absl::StatusOr<std::vector<Napi>> ListNapis(int interface_index);

// Of an instance of the calling thread's network namespace; it stays until it is set anew or the
// device goes. An error: not permitted, or the kernel is older than 6.13.
absl::Status SetNapiDeferral(uint32_t napi, const NapiDeferral& deferral);

}  // namespace wakegate

#endif  // DATAPLANE_NETDEV_NAPI_H_
