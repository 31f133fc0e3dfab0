// tap_reader INTERFACE: makes a tap and reads what comes, 32 packets in one io_uring_enter, and
// does nothing else: no gateway that takes packets out of a tap this way can be faster. Prints
// "reads" once it does, and after some time, from the first packet on, {"nanoseconds": N,
// "packets": N}. The tap stays until the input ends.
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "dataplane/kernel/call_ring.h"
#include "dataplane/kernel/file_descriptor.h"
#include "tests/traffic/packet_rate.h"

namespace wakegate::testing {
namespace {

using Clock = std::chrono::steady_clock;

class Reader {
 public:
  Reader(FileDescriptor tap, std::unique_ptr<CallRing> ring)
      : tap_(std::move(tap)), ring_(std::move(ring)) {}

  // How many packets there are.
  uint64_t ReadBatch() {
    for (auto& buffer : buffers_) ring_->PrepareRead(tap_.get(), buffer);
    return std::ranges::count_if(ring_->Submit(), [](int32_t result) { return result > 0; });
  }

 private:
  FileDescriptor tap_;
  std::unique_ptr<CallRing> ring_;
  std::array<std::array<uint8_t, 2048>, 32> buffers_;
};

void Measure(Reader& reader, std::chrono::milliseconds time) {
  uint64_t packets = 0;
  while (reader.ReadBatch() == 0) continue;
  const Clock::time_point start = Clock::now();
  Clock::time_point now;
  do {
    packets += reader.ReadBatch();
    now = Clock::now();
  } while (now - start < time);
  PrintPacketRate(now - start, packets);
}

int Run(const std::string& interface, std::chrono::milliseconds time) {
  FileDescriptor tap(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ifreq request = {};
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  if (!tap.valid() || ioctl(tap.get(), TUNSETIFF, &request) != 0) {
    std::fprintf(stderr, "tap_reader: open %s: %s\n", interface.c_str(), std::strerror(errno));
    return EXIT_FAILURE;
  }
  absl::StatusOr<std::unique_ptr<CallRing>> ring = CallRing::Create();
  if (!ring.ok()) {
    std::fprintf(stderr, "tap_reader: %s\n", ring.status().ToString().c_str());
    return EXIT_FAILURE;
  }
  Reader reader(std::move(tap), *std::move(ring));
  std::puts("reads");
  std::fflush(stdout);
  Measure(reader, time);
  while (std::getchar() != EOF) continue;
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace wakegate::testing

int main(int argc, char** argv) {
  CLI::App app("Reads what comes to a tap, and does nothing else.", "tap_reader");
  std::string interface;
  int milliseconds = 400;
  app.add_option("INTERFACE", interface, "The tap to make")->required();
  app.add_option("--milliseconds", milliseconds, "For how long, from the first packet on");
  CLI11_PARSE(app, argc, argv);
  return wakegate::testing::Run(interface, std::chrono::milliseconds(milliseconds));
}
