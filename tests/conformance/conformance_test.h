// The fixtures of the suite: for each port kind, and for each ordered pair of kinds.
#ifndef TESTS_CONFORMANCE_CONFORMANCE_TEST_H_
#define TESTS_CONFORMANCE_CONFORMANCE_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "dataplane/testing/frames.h"
#include "tests/conformance/kinds.h"
#include "tests/conformance/testbed.h"

namespace wakegate::testing {

using ::testing::Combine;
using ::testing::Values;
using ::testing::ValuesIn;

// Two ports, a and b, connected, and their hosts; where there are two workers, on one each. When a
// test ends, the books balance and all buffers are back (GatewayForTest).
class TwoPorts {
 public:
  TwoPorts(const Kind& a, const Kind& b, const GatewayOptions& options = {});

  Testbed& bed() { return bed_; }
  GatewayForTest& gateway() { return bed_.gateway(); }
  Host& a() { return *a_; }
  Host& b() { return *b_; }

 private:
  Testbed bed_;
  Host* a_;
  Host* b_;
};

// Sends all frames, then expects to receive just these, in this order, without more being sent.
void ExpectDelivered(Host& from, Host& to, const std::vector<Bytes>& frames);
// Likewise, one small frame in each direction.
void ExpectConnected(TwoPorts& ports);

// Whether workers in interrupt mode that have nothing to do do nothing.
void ExpectAsleep(const GatewayForTest& gateway);

// "memory", "memory_to_tap" or "memory_interrupt".
struct KindName {
  std::string operator()(const ::testing::TestParamInfo<Kind>& test) const {
    return test.param.name;
  }
  std::string operator()(const ::testing::TestParamInfo<std::tuple<Kind, Kind>>& test) const {
    return std::get<0>(test.param).name + "_to_" + std::get<1>(test.param).name;
  }
  std::string operator()(const ::testing::TestParamInfo<std::tuple<Kind, IdleMode>>& test) const {
    return std::get<0>(test.param).name + "_" + IdleModeName(std::get<1>(test.param));
  }
};

using KindTest = ::testing::TestWithParam<Kind>;

class PairTest : public ::testing::TestWithParam<std::tuple<Kind, Kind>> {
 protected:
  const Kind& from() const { return std::get<0>(GetParam()); }
  const Kind& to() const { return std::get<1>(GetParam()); }
};

inline auto AllPairs() { return Combine(ValuesIn(AllKinds()), ValuesIn(AllKinds())); }
inline auto PairsOnceOpen() {
  return Combine(ValuesIn(KindsOnceOpen()), ValuesIn(KindsOnceOpen()));
}

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_CONFORMANCE_TEST_H_
