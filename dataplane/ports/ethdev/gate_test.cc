#include "dataplane/ports/ethdev/gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace wakegate {
namespace {

TEST(GateTest, IsClosedAtFirst) {
  Gate gate;
  EXPECT_FALSE(gate.Enter());
  gate.Open();
  EXPECT_TRUE(gate.Enter());
  gate.Leave();
}

// How often a worker that stays inside for `looks` looks finds control there too, which closes the
// gate `rounds` times.
uint64_t Meetings(int looks, int rounds) {
  Gate gate;
  std::atomic<bool> stop = false;
  std::atomic<bool> alone = false;
  std::atomic<uint64_t> entered = 0;
  uint64_t met = 0;
  std::thread worker([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      if (!gate.Enter()) continue;
      entered.fetch_add(1, std::memory_order_relaxed);
      for (int look = 0; look < looks; ++look) met += alone.load(std::memory_order_relaxed) ? 1 : 0;
      gate.Leave();
    }
  });
  for (int round = 0; round < rounds; ++round) {
    const uint64_t before = entered;
    gate.Open();
    while (entered.load(std::memory_order_relaxed) == before) {
    }
    gate.Close();
    alone = true;
    for (int spin = 0; spin < 1000; ++spin) std::atomic_signal_fence(std::memory_order_seq_cst);
    alone = false;
  }
  stop = true;
  worker.join();
  return met;
}

TEST(GateTest, CloseWaitsForTheWorkerThatIsInside) {
  ASSERT_TRUE(Gate::Prepare().ok());
  EXPECT_EQ(Meetings(/*looks=*/50'000, /*rounds=*/300), 0U);
}

}  // namespace
}  // namespace wakegate
