#include "dataplane/wakeup/ready_bitmap.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace wakegate {
namespace {

std::vector<uint32_t> Take(ReadyBitmap& bitmap) {
  std::vector<uint32_t> bits;
  bitmap.TakeAll([&](uint32_t bit) { bits.push_back(bit); });
  return bits;
}

TEST(ReadyBitmapTest, TakesEachBitOnceAndInOrder) {
  ReadyBitmap bitmap(192);
  EXPECT_FALSE(bitmap.Any());
  for (const uint32_t bit : {130U, 0U, 63U, 64U, 130U}) bitmap.Set(bit);
  EXPECT_TRUE(bitmap.Any());
  EXPECT_EQ(Take(bitmap), (std::vector<uint32_t>{0, 63, 64, 130}));
  EXPECT_FALSE(bitmap.Any());
  EXPECT_TRUE(Take(bitmap).empty());
}

TEST(ReadyBitmapTest, ABitThatIsSetWhileItIsVisitedStays) {
  ReadyBitmap bitmap(64);
  bitmap.Set(5);
  bitmap.TakeAll([&](uint32_t bit) { bitmap.Set(bit); });
  EXPECT_EQ(Take(bitmap), (std::vector<uint32_t>{5}));
}

TEST(ReadyBitmapTest, SetAllSetsEveryBit) {
  ReadyBitmap bitmap(128);
  bitmap.SetAll();
  EXPECT_EQ(Take(bitmap).size(), 128U);
}

// What was written before Set is there once the bit is taken; no bit is lost.
TEST(ReadyBitmapTest, NoBitIsLostBetweenThreads) {
  constexpr uint64_t kRounds = 200'000;
  ReadyBitmap bitmap(128);
  std::atomic<uint64_t> written[2] = {0, 0};
  std::vector<std::thread> setters;
  for (const uint32_t i : {0U, 1U}) {
    setters.emplace_back([&, i] {
      for (uint64_t round = 1; round <= kRounds; ++round) {
        written[i].store(round, std::memory_order_relaxed);
        bitmap.Set(i * 64 + 7);
      }
    });
  }
  uint64_t seen[2] = {0, 0};
  while (seen[0] < kRounds || seen[1] < kRounds) {
    bitmap.TakeAll(
        [&](uint32_t bit) { seen[bit / 64] = written[bit / 64].load(std::memory_order_relaxed); });
  }
  for (std::thread& setter : setters) setter.join();
}

}  // namespace
}  // namespace wakegate
