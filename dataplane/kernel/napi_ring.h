// An io_uring that does nothing but have the kernel process a device's packets.
#ifndef DATAPLANE_KERNEL_NAPI_RING_H_
#define DATAPLANE_KERNEL_NAPI_RING_H_

#include <liburing.h>

#include <chrono>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace wakegate {

// Busy polling of a NAPI instance (netdev/napi.h) of a device that does not say which of its
// queues the instance serves, so that the socket options for it do nothing. From Linux 6.13
// (io_uring/napi.c, IO_URING_NAPI_TRACKING_STATIC).
class NapiRing {
 public:
  // An error: the kernel has no such ring, or forbids it to this process; says which and why.
  static absl::StatusOr<std::unique_ptr<NapiRing>> Create();
  ~NapiRing();
  NapiRing(const NapiRing&) = delete;
  NapiRing& operator=(const NapiRing&) = delete;

  // From now on a Poll is for that instance, in place of the one before, and lasts so long; 0: one
  // round of 8 packets. Any thread, beside Poll.
  absl::Status Watch(uint32_t napi, std::chrono::microseconds time);

  // Has the kernel process what the device has for us, in this thread. One system call. One thread.
  void Poll();

 private:
  NapiRing() = default;

  io_uring ring_;
  bool ring_open_ = false;
};

}  // namespace wakegate

#endif  // DATAPLANE_KERNEL_NAPI_RING_H_
