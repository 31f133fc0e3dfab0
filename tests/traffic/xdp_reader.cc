// xdp_reader INTERFACE: receives through AF_XDP, and does nothing else but wait in poll() while
// there is nothing: no gateway that shares its CPU with the kernel's packet work can be faster.
// Says "reads" once it does; prints after some time, from the first packet on, {"nanoseconds": N,
// "packets": N}.
#include <poll.h>

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

// Waits until there are some.
uint32_t Receive(BareXdpSocket& socket) {
  while (true) {
    if (const uint32_t packets = socket.Receive()) return packets;
    pollfd wanted = {.fd = socket.fd(), .events = POLLIN, .revents = 0};
    if (poll(&wanted, 1, -1) < 0 && errno != EINTR) {
      std::fprintf(stderr, "xdp_reader: poll: %s\n", std::strerror(errno));
      std::exit(EXIT_FAILURE);
    }
  }
}

int Run(const std::string& interface, std::chrono::milliseconds time) {
  const auto socket = BareXdpSocket::Open(interface, /*receives=*/true);
  if (!socket.ok()) {
    std::fprintf(stderr, "xdp_reader: %s\n", socket.status().ToString().c_str());
    return EXIT_FAILURE;
  }
  std::puts("reads");
  std::fflush(stdout);
  uint64_t packets = 0;
  Receive(**socket);
  const Clock::time_point start = Clock::now();
  Clock::time_point now;
  do {
    packets += Receive(**socket);
    now = Clock::now();
  } while (now - start < time);
  PrintPacketRate(now - start, packets);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace wakegate::testing

int main(int argc, char** argv) {
  CLI::App app("Receives through AF_XDP, and does nothing else.", "xdp_reader");
  std::string interface;
  int milliseconds = 400;
  app.add_option("INTERFACE", interface, "The device")->required();
  app.add_option("--milliseconds", milliseconds, "For how long, from the first packet on");
  CLI11_PARSE(app, argc, argv);
  return wakegate::testing::Run(interface, std::chrono::milliseconds(milliseconds));
}
