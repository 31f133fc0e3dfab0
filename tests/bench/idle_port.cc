#include "tests/bench/idle_port.h"

#include <rte_cycles.h>

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"

namespace wakegate::bench {
namespace {

constexpr int kPortCounts[] = {2, 16, 64};
constexpr auto kTime = std::chrono::milliseconds(200);

// Memory ports whose other end nobody holds: a ready word each that never changes.
std::string IdlePorts(int count) {
  std::string yaml = "ports:\n";
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&yaml, "  - {name: p", i, ", memory: {cable: c", i, ", ring_packets: 64}}\n");
  }
  return yaml;
}

double NanosecondsPerTurn(const DataPlane& data_plane) {
  const uint64_t turns = data_plane.Turns();
  const uint64_t start = rte_rdtsc();
  std::this_thread::sleep_for(kTime);
  const uint64_t cycles = rte_rdtsc() - start;
  return 1e9 * static_cast<double>(cycles) / static_cast<double>(rte_get_tsc_hz()) /
         static_cast<double>(data_plane.Turns() - turns);
}

}  // namespace

Scenario MeasureIdlePorts(DataPlane& data_plane, int rounds) {
  Scenario scenario{.name = "idle_port",
                    .what = "what a turn of a worker costs while no port has a packet",
                    .figures = {}};
  for (const int count : kPortCounts) {
    scenario.figures.push_back(
        {.name = absl::StrCat("turn with ", count, " idle ports"), .unit = "ns"});
  }
  scenario.figures.push_back({.name = "each further idle port", .unit = "ns"});
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < std::size(kPortCounts); ++i) {
      data_plane.Apply(IdlePorts(kPortCounts[i]));
      scenario.figures[i].rounds.push_back(NanosecondsPerTurn(data_plane));
    }
    const auto turn = [&](size_t i) { return scenario.figures[i].rounds.back(); };
    const size_t last = std::size(kPortCounts) - 1;
    scenario.figures.back().rounds.push_back((turn(last) - turn(0)) /
                                             (kPortCounts[last] - kPortCounts[0]));
  }
  data_plane.Apply("");
  return scenario;
}

}  // namespace wakegate::bench
