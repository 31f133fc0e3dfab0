#include "dataplane/wakeup/doorbell.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace wakegate {
namespace {

bool IsReadable(const Doorbell& bell, int timeout_milliseconds = 0) {
  pollfd fd = {.fd = bell.fd(), .events = POLLIN, .revents = 0};
  return poll(&fd, 1, timeout_milliseconds) == 1;
}

class DoorbellTest : public testing::Test {
 protected:
  std::unique_ptr<Doorbell> bell_ = *Doorbell::Create();
};

TEST_F(DoorbellTest, RingingSomebodyWhoIsAwakeCostsNoSystemCall) {
  EXPECT_FALSE(bell_->Ring());
  EXPECT_FALSE(IsReadable(*bell_));
}

TEST_F(DoorbellTest, TheFirstRingWakesTheSleeperAndTheNextOnesAreFree) {
  bell_->AboutToSleep();
  EXPECT_FALSE(IsReadable(*bell_));
  EXPECT_TRUE(bell_->Ring());
  EXPECT_FALSE(bell_->Ring());
  EXPECT_TRUE(IsReadable(*bell_));
  EXPECT_TRUE(bell_->Awake());
  EXPECT_FALSE(IsReadable(*bell_));
  EXPECT_FALSE(bell_->Ring());
}

TEST_F(DoorbellTest, WhoDidNotSleepAfterAllIsNotRungLater) {
  bell_->AboutToSleep();
  EXPECT_FALSE(bell_->Awake());
  EXPECT_FALSE(bell_->Ring());
  EXPECT_FALSE(IsReadable(*bell_));
}

TEST_F(DoorbellTest, AwakeWithoutHavingSleptDoesNothing) {
  EXPECT_FALSE(bell_->Awake());
  bell_->AboutToSleep();
  EXPECT_TRUE(bell_->Ring());
  EXPECT_TRUE(bell_->Awake());
  EXPECT_FALSE(bell_->Awake());
}

// Each of many rings by two ringers is either seen by the sleeper's look or wakes him: he is never
// left asleep beside work.
TEST_F(DoorbellTest, NoWakeupIsLostBetweenThreads) {
  constexpr uint64_t kRounds = 30'000;
  std::atomic<uint64_t> work = 0;
  std::vector<std::thread> ringers;
  for (int i = 0; i < 2; ++i) {
    ringers.emplace_back([&] {
      for (uint64_t round = 0; round < kRounds; ++round) {
        work.fetch_add(1, std::memory_order_relaxed);
        bell_->Ring();
        if (round % 16 == 0) std::this_thread::yield();
      }
    });
  }
  uint64_t done = 0;
  bool lost = false;
  while (done < 2 * kRounds && !lost) {
    bell_->AboutToSleep();
    if (work.load(std::memory_order_relaxed) == done) {
      lost = !IsReadable(*bell_, /*timeout_milliseconds=*/5'000);
    }
    bell_->Awake();
    done = work.load(std::memory_order_relaxed);
  }
  EXPECT_FALSE(lost) << "asleep with " << work - done << " things to do";
  for (std::thread& ringer : ringers) ringer.join();
}

}  // namespace
}  // namespace wakegate
