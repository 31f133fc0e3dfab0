// Measures what workers cost. `tools/dev bench` builds it optimised and runs it.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "dataplane/control/cpus.h"
#include "dataplane/control/eal.h"
#include "dataplane/packet/pool.h"
#include "spdlog/spdlog.h"
#include "tests/bench/data_plane.h"
#include "tests/bench/figures.h"
#include "tests/bench/forward.h"
#include "tests/bench/idle_port.h"

namespace wakegate::bench {
namespace {

constexpr uint32_t kMegabytes = 128;
constexpr uint32_t kBuffers = 8191;

struct Flags {
  std::vector<std::string> scenarios;
  int rounds = 7;
  std::string json;
};

int Run(const Flags& flags) {
  spdlog::set_level(spdlog::level::warn);
  // The worker has the last CPU to itself.
  const std::vector<int> cpus = ThreadCpus();
  const absl::StatusOr<std::string> eal = StartEal(kMegabytes);
  if (!eal.ok()) {
    std::fprintf(stderr, "%s\n", eal.status().ToString().c_str());
    return EXIT_FAILURE;
  }
  const absl::StatusOr<PacketPool> pool = PacketPool::Create("bench", kBuffers, SOCKET_ID_ANY);
  if (!pool.ok()) {
    std::fprintf(stderr, "%s\n", pool.status().ToString().c_str());
    return EXIT_FAILURE;
  }
  DataPlane data_plane(pool->get());
  if (const absl::Status status = SetThreadCpus({cpus.front()}); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return EXIT_FAILURE;
  }
  std::ofstream json;
  if (!flags.json.empty()) json.open(flags.json);
  for (const std::string& name : flags.scenarios) {
    const Scenario scenario = name == "idle_port"
                                  ? MeasureIdlePorts(data_plane, flags.rounds)
                                  : MeasureForwarding(data_plane, pool->get(), flags.rounds);
    std::fputs(ToTable(scenario).c_str(), stdout);
    if (json.is_open()) json << ToJson(scenario);
  }
  if (json.is_open() && !json.flush()) {
    std::fprintf(stderr, "cannot write %s\n", flags.json.c_str());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace wakegate::bench

int main(int argc, char** argv) {
  CLI::App app("Measures what the workers of the data plane cost.", "bench");
  wakegate::bench::Flags flags;
  flags.scenarios = {"idle_port", "forward"};
  app.add_option("SCENARIO", flags.scenarios, "idle_port, forward; both where none is named")
      ->check(CLI::IsMember({"idle_port", "forward"}));
  app.add_option("--rounds", flags.rounds, "Measure each thing so often, in alternation")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--json", flags.json, "Write the figures here too");
  CLI11_PARSE(app, argc, argv);
  return wakegate::bench::Run(flags);
}
