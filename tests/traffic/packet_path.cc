#include "tests/traffic/packet_path.h"

#include <algorithm>
#include <utility>

namespace wakegate::testing {

absl::StatusOr<PacketPath> PacketPath::Open(const std::string& from, const std::string& to) {
  absl::StatusOr<PacketDevice> sender = PacketDevice::Open(from);
  if (!sender.ok()) return sender.status();
  absl::StatusOr<PacketDevice> receiver = PacketDevice::Open(to);
  if (!receiver.ok()) return receiver.status();
  (void)receiver->TimeSinceArrival();
  return PacketPath(*std::move(sender), *std::move(receiver));
}

std::optional<Delivery> PacketPath::Deliver(std::chrono::nanoseconds limit) {
  using Clock = std::chrono::steady_clock;
  ++number_;
  const auto frame = NumberedFrame(number_);
  const Clock::time_point start = Clock::now();
  if (from_.Send(frame) != 1) return std::nullopt;
  const Clock::time_point sent = Clock::now();
  Clock::time_point last = sent;
  Clock::duration longest_absence = {};
  while (true) {
    const bool arrived = Arrived();
    const Clock::time_point now = Clock::now();
    longest_absence = std::max(longest_absence, now - last);
    last = now;
    if (arrived) {
      return Delivery{.took = now - start,
                      .longest_absence = longest_absence,
                      .sending_took = sent - start,
                      .unseen = to_.TimeSinceArrival().value_or(Clock::duration::zero())};
    }
    if (now - start > limit) return std::nullopt;
  }
}

bool PacketPath::Arrived() {
  uint8_t frame[kSmallestFrame];
  while (const std::size_t size = to_.Receive(frame)) {
    if (NumberOf({frame, size}) == number_) return true;
  }
  return false;
}

}  // namespace wakegate::testing
