#include "gateway/launcher/backoff.h"

#include <gtest/gtest.h>

namespace wakegate {
namespace {

using std::chrono::milliseconds;

TEST(BackoffTest, DoublesFrom100MillisecondsTo5Seconds) {
  Backoff backoff;
  for (int expected : {100, 200, 400, 800, 1600, 3200, 5000, 5000}) {
    EXPECT_EQ(backoff.NextDelay(milliseconds(9999)), milliseconds(expected));
  }
}

TEST(BackoffTest, StartsAnewAfterAHealthyRun) {
  Backoff backoff;
  backoff.NextDelay(milliseconds(0));
  backoff.NextDelay(milliseconds(0));
  EXPECT_EQ(backoff.NextDelay(milliseconds(10000)), milliseconds(100));
  EXPECT_EQ(backoff.NextDelay(milliseconds(0)), milliseconds(200));
}

}  // namespace
}  // namespace wakegate
