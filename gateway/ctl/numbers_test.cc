#include "gateway/ctl/numbers.h"

#include <gtest/gtest.h>

namespace wakegate {
namespace {

TEST(ShortNumberTest, HasAtMostFiveCharacters) {
  EXPECT_EQ(ShortNumber(0), "0");
  EXPECT_EQ(ShortNumber(0.0001), "0.000");
  EXPECT_EQ(ShortNumber(0.031), "0.031");
  EXPECT_EQ(ShortNumber(0.9999), "1.0");
  EXPECT_EQ(ShortNumber(4.25), "4.2");
  EXPECT_EQ(ShortNumber(9.99), "10");
  EXPECT_EQ(ShortNumber(9999), "9999");
  EXPECT_EQ(ShortNumber(9999.9), "10.0k");
  EXPECT_EQ(ShortNumber(12345), "12.3k");
  EXPECT_EQ(ShortNumber(99990), "100k");
  EXPECT_EQ(ShortNumber(999999), "1.00M");
  EXPECT_EQ(ShortNumber(1234567), "1.23M");
  EXPECT_EQ(ShortNumber(9.9e14), "990T");
  EXPECT_EQ(ShortNumber(1.8446744073709552e19), "18.4E");
}

TEST(ShortTimeTest, PicksTheUnit) {
  EXPECT_EQ(ShortTime(0), "0 µs");
  EXPECT_EQ(ShortTime(85), "85 µs");
  EXPECT_EQ(ShortTime(999.9), "1.0 ms");
  EXPECT_EQ(ShortTime(542'000), "542 ms");
  EXPECT_EQ(ShortTime(1'240'000), "1.2 s");
}

TEST(PercentTest, HasOneDecimal) {
  EXPECT_EQ(Percent(0.6), "60.0%");
  EXPECT_EQ(Percent(1), "100.0%");
}

}  // namespace
}  // namespace wakegate
