#include "tests/bench/forward.h"

#include <rte_cycles.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "dataplane/packet/batch.h"

namespace wakegate::bench {
namespace {

constexpr int kBurstSizes[] = {1, 8, 32, 64};
constexpr uint32_t kRingPackets = 4096;
constexpr uint32_t kPackets = 2048;  // On their way at once.
constexpr uint64_t kRoundPackets = 1'000'000;

std::string TwoPorts(int burst_size) {
  return absl::StrCat(R"(
ports:
  - {name: a, memory: {cable: left, ring_packets: 4096}}
  - {name: b, memory: {cable: right, ring_packets: 4096}}
cross_connects: [{a: a, b: b}]
knobs: [{knob: burst_size, port: a, value: ")",
                      burst_size, "\"}]\n");
}

// Sends what comes out of one end into the other, until that many packets have passed.
void Circulate(CableEnd& from, CableEnd& to, uint64_t packets) {
  Batch batch;
  for (uint64_t passed = 0; passed < packets;) {
    batch.set_size(from.incoming(0).Get({batch.data(), kMaxBurst}));
    to.outgoing(0).Put(batch.packets());
    passed += batch.size();
  }
}

}  // namespace

Scenario MeasureForwarding(DataPlane& data_plane, rte_mempool* pool, int rounds) {
  Scenario scenario{.name = "forward",
                    .what = "what a 64-byte packet costs a worker, memory port to memory port",
                    .figures = {}};
  for (const int burst_size : kBurstSizes) {
    scenario.figures.push_back(
        {.name = absl::StrCat("packet at burst size ", burst_size), .unit = "ns"});
  }
  data_plane.Apply(TwoPorts(kBurstSizes[0]));
  const std::unique_ptr<CableEnd> left = *data_plane.cables().Plug("left", 1, kRingPackets);
  const std::unique_ptr<CableEnd> right = *data_plane.cables().Plug("right", 1, kRingPackets);
  for (uint32_t i = 0; i < kPackets; ++i) {
    rte_mbuf* packet = rte_pktmbuf_alloc(pool);
    std::fill_n(rte_pktmbuf_append(packet, 64), 64, '\0');
    left->outgoing(0).Put({&packet, 1});
  }
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < std::size(kBurstSizes); ++i) {
      data_plane.Apply(TwoPorts(kBurstSizes[i]));
      Circulate(*right, *left, kPackets);
      const uint64_t cycles = data_plane.BusyCycles();
      Circulate(*right, *left, kRoundPackets);
      scenario.figures[i].rounds.push_back(
          1e9 * static_cast<double>(data_plane.BusyCycles() - cycles) /
          static_cast<double>(rte_get_tsc_hz()) / static_cast<double>(kRoundPackets));
    }
  }
  data_plane.Apply("");
  return scenario;
}

}  // namespace wakegate::bench
