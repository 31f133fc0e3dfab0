#include <gtest/gtest.h>

#include "dataplane/wakeup/flush_policy.h"
#include "dataplane/wakeup/idle_policy.h"

namespace wakegate {
namespace {

using ledger::FlushCause;

TEST(FlushPolicyTest, WithoutAnIntervalNothingIsHeldBack) {
  const FlushPolicy policy(/*interval=*/0, /*batch=*/32);
  EXPECT_EQ(policy.Decide(1, 0), FlushCause::kImmediate);
}

TEST(FlushPolicyTest, TheFirstPacketAfterAQuietTimeLeavesAtOnce) {
  FlushPolicy policy(/*interval=*/50, /*batch=*/32);
  EXPECT_EQ(policy.Decide(1, 1000), FlushCause::kImmediate);
  policy.Flushed(1000);
  EXPECT_EQ(policy.Decide(1, 5000), FlushCause::kImmediate);
}

TEST(FlushPolicyTest, PacketsWithinTheIntervalLeaveTogetherAtItsEnd) {
  FlushPolicy policy(/*interval=*/50, /*batch=*/32);
  policy.Flushed(1000);
  EXPECT_EQ(policy.Decide(1, 1010), std::nullopt);
  policy.Waiting();
  EXPECT_EQ(policy.next_flush(), 1050U);
  EXPECT_EQ(policy.Decide(7, 1049), std::nullopt);
  EXPECT_EQ(policy.Decide(7, 1050), FlushCause::kTimer);
}

TEST(FlushPolicyTest, AFullBatchDoesNotWait) {
  FlushPolicy policy(/*interval=*/50, /*batch=*/32);
  policy.Flushed(1000);
  EXPECT_EQ(policy.Decide(31, 1001), std::nullopt);
  EXPECT_EQ(policy.Decide(32, 1001), FlushCause::kFull);
}

TEST(FlushPolicyTest, AShorterIntervalHoldsForWhatAlreadyWaits) {
  FlushPolicy policy(/*interval=*/1000, /*batch=*/32);
  policy.Flushed(1000);
  policy.Waiting();
  policy.SetInterval(10, 1100);
  EXPECT_EQ(policy.next_flush(), 1110U);
  policy.SetInterval(5000, 1105);
  EXPECT_EQ(policy.next_flush(), 1110U) << "a longer one must not prolong the wait";
}

constexpr IdleSettings kAdaptive = {
    .mode = IdleMode::kAdaptive, .spin = 50, .longest_sleep = 1000, .shortest_sleep = 20};

TEST(IdlePolicyTest, PollingNeverSleeps) {
  IdlePolicy policy(IdleSettings{});
  EXPECT_FALSE(policy.Next(false, 1'000'000, IdlePolicy::kNoDeadline).sleep);
}

TEST(IdlePolicyTest, AdaptiveSpinsAfterTheLastPacketThenSleeps) {
  IdlePolicy policy(kAdaptive);
  EXPECT_FALSE(policy.Next(true, 100, IdlePolicy::kNoDeadline).sleep);
  EXPECT_FALSE(policy.Next(false, 149, IdlePolicy::kNoDeadline).sleep);
  const IdlePolicy::Decision decision = policy.Next(false, 150, IdlePolicy::kNoDeadline);
  EXPECT_TRUE(decision.sleep);
  EXPECT_EQ(decision.until, 1150U);
}

TEST(IdlePolicyTest, InterruptSleepsAtTheFirstEmptyTurn) {
  IdlePolicy policy({.mode = IdleMode::kInterrupt, .longest_sleep = 1000});
  EXPECT_FALSE(policy.Next(true, 100, IdlePolicy::kNoDeadline).sleep);
  EXPECT_TRUE(policy.Next(false, 101, IdlePolicy::kNoDeadline).sleep);
}

TEST(IdlePolicyTest, ASleepEndsAtTheDeadline) {
  IdlePolicy policy(kAdaptive);
  EXPECT_EQ(policy.Next(false, 500, 700).until, 700U);
}

TEST(IdlePolicyTest, ADeadlineNearerThanASleepCanKeepIsSpunFor) {
  IdlePolicy policy(kAdaptive);
  EXPECT_FALSE(policy.Next(false, 500, 519).sleep);
  EXPECT_TRUE(policy.Next(false, 500, 520).sleep);
  EXPECT_FALSE(policy.Next(false, 500, 400).sleep) << "it has passed already";
}

TEST(IdlePolicyTest, WokenByTheTimerItDoesNotSpinAnew) {
  IdlePolicy policy(kAdaptive);
  policy.Next(true, 100, IdlePolicy::kNoDeadline);
  policy.Woken(/*by_timer_only=*/true, 2000);
  EXPECT_TRUE(policy.Next(false, 2001, IdlePolicy::kNoDeadline).sleep);
  policy.Woken(/*by_timer_only=*/false, 3000);
  EXPECT_FALSE(policy.Next(false, 3001, IdlePolicy::kNoDeadline).sleep);
}

}  // namespace
}  // namespace wakegate
