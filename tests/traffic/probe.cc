// probe FROM TO: times single packets through a gateway, each after a pause, and prints a JSON
// object: {"nanoseconds": […], "stalled": [true, …], "lost": N}.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "tests/traffic/packet_path.h"
#include "tests/traffic/run_queue_delay.h"

namespace wakegate::testing {
namespace {

constexpr std::chrono::seconds kLimit(1);
// A packet that met a longer one says what the machine does, not what the gateway does.
constexpr std::chrono::microseconds kStall(300);

struct Flags {
  std::string from;
  std::string to;
  int pause_microseconds = 1000;
  int count = 100;
  pid_t process = 0;
  pid_t worker = 0;
};

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "probe: %s\n", status.ToString().c_str());
  return EXIT_FAILURE;
}

int Run(const Flags& flags) {
  absl::StatusOr<PacketPath> path = PacketPath::Open(flags.from, flags.to);
  if (!path.ok()) return Fail(path.status());
  const absl::StatusOr<RunQueueDelay> delay = RunQueueDelay::Of(flags.process, flags.worker);
  if (!delay.ok()) return Fail(delay.status());
  std::string times;
  std::string stalls;
  int lost = 0;
  const char* separator = "";
  for (int i = 0; i < flags.count; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(flags.pause_microseconds));
    const std::chrono::nanoseconds before = delay->Read();
    const std::optional<Delivery> delivery = path->Deliver(kLimit);
    if (!delivery.has_value()) {
      ++lost;
      continue;
    }
    const bool stalled = delivery->longest_absence > kStall ||
                         (delivery->took > kStall && delay->Read() - before > delivery->took / 2);
    absl::StrAppend(&times, separator, delivery->took.count());
    absl::StrAppend(&stalls, separator, stalled ? "true" : "false");
    separator = ", ";
  }
  std::printf("{\"nanoseconds\": [%s], \"stalled\": [%s], \"lost\": %d}\n", times.c_str(),
              stalls.c_str(), lost);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace wakegate::testing

int main(int argc, char** argv) {
  CLI::App app("Times single packets through a gateway, each after a pause.", "probe");
  wakegate::testing::Flags flags;
  app.add_option("FROM", flags.from, "The device to send on")->required();
  app.add_option("TO", flags.to, "The device where they arrive")->required();
  app.add_option("--pause", flags.pause_microseconds, "Before each packet, in microseconds");
  app.add_option("--count", flags.count, "Packets");
  app.add_option("--process", flags.process, "The data plane")->required();
  app.add_option("--worker", flags.worker, "The id of its worker's thread")->required();
  CLI11_PARSE(app, argc, argv);
  return wakegate::testing::Run(flags);
}
