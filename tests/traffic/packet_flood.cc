// packet_flood INTERFACE: sends small frames on a device until it is killed, as fast as a packet
// socket can or at an even pace.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "CLI/CLI.hpp"
#include "tests/traffic/packet_device.h"

namespace wakegate::testing {
namespace {

constexpr int kBatch = 32;

// A full queue is no error: the device's peer is the slower one.
[[nodiscard]] bool Send(PacketDevice& device, std::span<const uint8_t> frame, int count) {
  if (device.Send(frame, count) >= 0 || errno == ENOBUFS || errno == EAGAIN) return true;
  std::fprintf(stderr, "packet_flood: send: %s\n", std::strerror(errno));
  return false;
}

int Flood(PacketDevice& device, uint64_t per_second) {
  using Clock = std::chrono::steady_clock;
  const auto frame = NumberedFrame(0);
  std::puts("sends");
  std::fflush(stdout);
  if (per_second == 0) {
    while (Send(device, frame, kBatch)) continue;
    return EXIT_FAILURE;
  }
  const std::chrono::nanoseconds interval(1'000'000'000 / per_second);
  for (Clock::time_point due = Clock::now(); Send(device, frame, 1); due += interval) {
    // A sender that was late does not catch up with a burst.
    if (Clock::now() > due + std::chrono::milliseconds(1)) due = Clock::now();
    while (Clock::now() < due) continue;
  }
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace wakegate::testing

int main(int argc, char** argv) {
  CLI::App app("Sends small frames on a network device until it is killed.", "packet_flood");
  std::string interface;
  uint64_t per_second = 0;
  app.add_option("INTERFACE", interface, "The device")->required();
  app.add_option("--per-second", per_second, "Frames a second; 0: all that it can");
  CLI11_PARSE(app, argc, argv);
  auto device = wakegate::testing::PacketDevice::Open(interface);
  if (!device.ok()) {
    std::fprintf(stderr, "packet_flood: %s\n", device.status().ToString().c_str());
    return EXIT_FAILURE;
  }
  return wakegate::testing::Flood(*device, per_second);
}
