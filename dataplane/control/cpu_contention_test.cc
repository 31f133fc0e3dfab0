#include "dataplane/control/cpu_contention.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace wakegate {
namespace {

using std::chrono::milliseconds;

class CpuContentionTest : public ::testing::Test {
 protected:
  // A second later, of which the thread has waited so long.
  bool Second(milliseconds waited) {
    now_ += milliseconds(1000);
    delay_ += waited;
    return contention_.Update(delay_, now_);
  }

  CpuContention contention_;
  CpuContention::Time now_{};
  std::chrono::nanoseconds delay_ = milliseconds(123);
};

TEST_F(CpuContentionTest, AThreadThatNeverWaitsHasItsCpuToItself) {
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(Second(milliseconds(0)));
}

TEST_F(CpuContentionTest, WaitingMuchMeansSharedAndWaitingLittleEndsIt) {
  EXPECT_FALSE(Second(milliseconds(900))) << "the first reading says nothing";
  EXPECT_FALSE(Second(milliseconds(50)));
  EXPECT_TRUE(Second(milliseconds(300)));
  EXPECT_TRUE(Second(milliseconds(50))) << "in between nothing changes";
  EXPECT_FALSE(Second(milliseconds(5)));
}

TEST_F(CpuContentionTest, ReadingsInQuickSuccessionAreNotTakenForMuch) {
  Second(milliseconds(0));
  now_ += milliseconds(1);
  delay_ += milliseconds(1);
  EXPECT_FALSE(contention_.Update(delay_, now_));
}

TEST(RunQueueDelayTest, GrowsAndIsKnownOfThreadsOfThisProcessOnly) {
  const auto delay = RunQueueDelay(gettid());
  if (!delay) GTEST_SKIP() << "the kernel has no schedstat";
  EXPECT_GE(*RunQueueDelay(gettid()), *delay);
  EXPECT_FALSE(RunQueueDelay(1 << 30).has_value());
}

}  // namespace
}  // namespace wakegate
