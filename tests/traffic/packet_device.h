// A network device as an application sees it that sends and receives whole frames.
#ifndef TESTS_TRAFFIC_PACKET_DEVICE_H_
#define TESTS_TRAFFIC_PACKET_DEVICE_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "dataplane/kernel/file_descriptor.h"

namespace wakegate::testing {

// The smallest frame of Ethernet, without its checksum.
inline constexpr std::size_t kSmallestFrame = 60;

// A frame to nobody's address of the type for local experiments (IEEE 802, 0x88b5), which no
// stack answers; the number follows the header.
std::array<uint8_t, kSmallestFrame> NumberedFrame(uint64_t number);
// Nothing where the frame is another kind of frame.
std::optional<uint64_t> NumberOf(std::span<const uint8_t> frame);

// A packet socket that is bound to one device of the caller's network namespace and does not pass
// the device's queueing discipline. One thread.
class PacketDevice {
 public:
  // NOT_FOUND where there is no such device; PERMISSION_DENIED without CAP_NET_RAW.
  static absl::StatusOr<PacketDevice> Open(const std::string& interface);

  // Sends the frame so often with one system call; gives how often the device took it. -1: an
  // error, in errno; ENOBUFS says that the device's queue is full.
  int Send(std::span<const uint8_t> frame, int count = 1);
  // Bytes of the next frame that arrived at the device, 0 where none waits.
  std::size_t Receive(std::span<uint8_t> frame);
  // How long ago the kernel had the frame that Receive gave last. Nothing before the second call:
  // the first one makes the kernel remember.
  std::optional<std::chrono::nanoseconds> TimeSinceArrival();

 private:
  explicit PacketDevice(FileDescriptor socket) : socket_(std::move(socket)) {}
  FileDescriptor socket_;
};

}  // namespace wakegate::testing

#endif  // TESTS_TRAFFIC_PACKET_DEVICE_H_
