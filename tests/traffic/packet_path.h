// The way of a single packet through a gateway.
#ifndef TESTS_TRAFFIC_PACKET_PATH_H_
#define TESTS_TRAFFIC_PACKET_PATH_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tests/traffic/packet_device.h"

namespace wakegate::testing {

struct Delivery {
  // From before the system call that sends the packet until it is there.
  std::chrono::nanoseconds took;
  // The longest time in which the caller itself, which looks without a pause, did not look: where
  // that is long, `took` says little of the gateway.
  std::chrono::nanoseconds longest_absence;
  // How much of `took` was the system call that sends.
  std::chrono::nanoseconds sending_took;
  // How much of `took` the packet was there already and the caller did not look.
  std::chrono::nanoseconds unseen;
};

// From the device that one host sends on to the device that another receives on, between which the
// gateway stands. One thread.
class PacketPath {
 public:
  static absl::StatusOr<PacketPath> Open(const std::string& from, const std::string& to);

  // Sends a packet and looks until it arrives; it keeps its CPU busy meanwhile. Nothing where it
  // does not arrive within `limit`. Packets that arrive late are not taken for later ones.
  std::optional<Delivery> Deliver(std::chrono::nanoseconds limit);

 private:
  PacketPath(PacketDevice from, PacketDevice to) : from_(std::move(from)), to_(std::move(to)) {}
  bool Arrived();

  PacketDevice from_;
  PacketDevice to_;
  uint64_t number_ = 0;
};

}  // namespace wakegate::testing

#endif  // TESTS_TRAFFIC_PACKET_PATH_H_
