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

using Kind = IdlePolicy::Decision::Kind;

Kind Next(IdlePolicy& policy, bool worked, Tsc now, Tsc deadline = IdlePolicy::kNoDeadline) {
  return policy.Next(worked, now, deadline, /*cpu_is_shared=*/false).kind;
}
Kind NextOnSharedCpu(IdlePolicy& policy, bool worked, Tsc now,
                     Tsc deadline = IdlePolicy::kNoDeadline) {
  return policy.Next(worked, now, deadline, /*cpu_is_shared=*/true).kind;
}

TEST(IdlePolicyTest, PollingNeverSleeps) {
  IdlePolicy policy(IdleSettings{});
  EXPECT_EQ(Next(policy, false, 1'000'000), Kind::kLookOn);
}

TEST(IdlePolicyTest, AdaptiveSpinsAfterTheLastPacketThenSleeps) {
  IdlePolicy policy(kAdaptive);
  EXPECT_EQ(Next(policy, true, 100), Kind::kLookOn);
  EXPECT_EQ(Next(policy, false, 149), Kind::kLookOn);
  const IdlePolicy::Decision decision = policy.Next(false, 150, IdlePolicy::kNoDeadline, false);
  EXPECT_EQ(decision.kind, Kind::kSleep);
  EXPECT_EQ(decision.until, 1150U);
}

TEST(IdlePolicyTest, InterruptSleepsAtTheFirstEmptyTurn) {
  IdlePolicy policy({.mode = IdleMode::kInterrupt, .longest_sleep = 1000});
  EXPECT_EQ(Next(policy, true, 100), Kind::kLookOn);
  EXPECT_EQ(Next(policy, false, 101), Kind::kSleep);
}

TEST(IdlePolicyTest, ASleepEndsAtTheDeadline) {
  IdlePolicy policy(kAdaptive);
  EXPECT_EQ(policy.Next(false, 500, 700, false).until, 700U);
}

TEST(IdlePolicyTest, ADeadlineNearerThanASleepCanKeepIsSpunFor) {
  IdlePolicy policy(kAdaptive);
  EXPECT_EQ(Next(policy, false, 500, 519), Kind::kLookOn);
  EXPECT_EQ(Next(policy, false, 500, 520), Kind::kSleep);
  EXPECT_EQ(Next(policy, false, 500, 400), Kind::kLookOn) << "it has passed already";
}

TEST(IdlePolicyTest, WokenByTheTimerItDoesNotSpinAnew) {
  IdlePolicy policy(kAdaptive);
  Next(policy, true, 100);
  policy.Woken(/*by_timer_only=*/true, 2000);
  EXPECT_EQ(Next(policy, false, 2001), Kind::kSleep);
  policy.Woken(/*by_timer_only=*/false, 3000);
  EXPECT_EQ(Next(policy, false, 3001), Kind::kLookOn);
}

TEST(IdlePolicyTest, OnASharedCpuItRestsInsteadOfSpinning) {
  IdlePolicy adaptive(kAdaptive);
  EXPECT_EQ(NextOnSharedCpu(adaptive, true, 100), Kind::kLookOn) << "there is work to do";
  EXPECT_EQ(NextOnSharedCpu(adaptive, false, 101), Kind::kSleep);
  EXPECT_EQ(NextOnSharedCpu(adaptive, false, 102, 110), Kind::kYield) << "too near for a sleep";
  IdlePolicy polling(IdleSettings{});
  EXPECT_EQ(NextOnSharedCpu(polling, false, 100), Kind::kYield);
}

}  // namespace
}  // namespace wakegate
