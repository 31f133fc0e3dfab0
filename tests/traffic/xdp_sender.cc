// xdp_sender INTERFACE: sends frames of 64 bytes through AF_XDP, so many with each system call, and
// does nothing else: no gateway that sends them with as many calls can be faster. Prints
// {"nanoseconds": N, "packets": N}.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "CLI/CLI.hpp"
#include "tests/traffic/bare_xdp_socket.h"
#include "tests/traffic/packet_rate.h"

namespace wakegate::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFrame = 64;

struct Flags {
  std::string interface;
  uint32_t each_call = 32;
  int milliseconds = 400;
};

int Run(const Flags& flags) {
  const auto socket = BareXdpSocket::Open(flags.interface, /*receives=*/false);
  if (!socket.ok()) {
    std::fprintf(stderr, "xdp_sender: %s\n", socket.status().ToString().c_str());
    return EXIT_FAILURE;
  }
  const std::string frame(kFrame, '\0');  // As DPDK's net_null makes them.
  uint64_t packets = 0;
  const Clock::time_point start = Clock::now();
  Clock::time_point now;
  do {
    const int sent = (*socket)->Send(frame, flags.each_call);
    if (sent < 0) {
      std::fprintf(stderr, "xdp_sender: sendto: %s\n", std::strerror(errno));
      return EXIT_FAILURE;
    }
    packets += sent;
    now = Clock::now();
  } while (now - start < std::chrono::milliseconds(flags.milliseconds));
  PrintPacketRate(now - start, packets);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace wakegate::testing

int main(int argc, char** argv) {
  CLI::App app("Sends through AF_XDP, and does nothing else.", "xdp_sender");
  wakegate::testing::Flags flags;
  app.add_option("INTERFACE", flags.interface, "The device")->required();
  app.add_option("--each-call", flags.each_call, "Frames for each system call")
      ->check(CLI::Range(1u, wakegate::testing::BareXdpSocket::kFrames));
  app.add_option("--milliseconds", flags.milliseconds, "For how long");
  CLI11_PARSE(app, argc, argv);
  return wakegate::testing::Run(flags);
}
