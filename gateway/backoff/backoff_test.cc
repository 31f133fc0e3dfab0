#include "gateway/backoff/backoff.h"

#include <gtest/gtest.h>

namespace wakegate {
namespace {

using std::chrono::milliseconds;

TEST(BackoffTest, DoublesUpToTheLongestAndBeginsAnew) {
  Backoff backoff(milliseconds(50), milliseconds(150));
  EXPECT_EQ(backoff.Next(), milliseconds(50));
  EXPECT_EQ(backoff.Next(), milliseconds(100));
  EXPECT_EQ(backoff.Next(), milliseconds(150));
  EXPECT_EQ(backoff.Next(), milliseconds(150));
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), milliseconds(50));
}

}  // namespace
}  // namespace wakegate
