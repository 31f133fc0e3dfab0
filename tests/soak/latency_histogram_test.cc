#include "tests/soak/latency_histogram.h"

#include <gtest/gtest.h>

namespace wakegate::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(LatencyHistogramTest, CountsBelowItsBoundsAndApartByCause) {
  LatencyHistogram histogram;
  histogram.Add("packet", nanoseconds(900));
  histogram.Add("packet", microseconds(1));
  histogram.Add("packet", microseconds(4));
  histogram.Add("timer", nanoseconds(4001));
  EXPECT_EQ(histogram.ToTable(),
            "         up to       packet        timer\n"
            "          1 us            2            0\n"
            "          4 us            1            0\n"
            "          8 us            0            1\n");
  EXPECT_EQ(histogram.count(), 4U);
}

TEST(LatencyHistogramTest, KeepsTheLongest) {
  LatencyHistogram histogram;
  histogram.Add("packet", milliseconds(3));
  histogram.Add("packet", microseconds(1));
  // What is less than nothing took nothing.
  histogram.Add("packet", -nanoseconds(1));
  EXPECT_EQ(histogram.longest(), milliseconds(3));
}

}  // namespace
}  // namespace wakegate::testing
