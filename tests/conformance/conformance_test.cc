#include "tests/conformance/conformance_test.h"

#include <chrono>
#include <cstring>
#include <thread>

namespace wakegate::testing {

TwoPorts::TwoPorts(const Kind& a, const Kind& b, const GatewayOptions& options)
    : bed_(options), a_(&bed_.Add("a", a)), b_(&bed_.Add("b", b)) {
  bed_.Connect("a", "b");
  if (options.workers > 1) bed_.PlaceApart("a", "b");
  bed_.Apply();
}

void ExpectDelivered(Host& from, Host& to, const std::vector<Bytes>& frames) {
  for (const Bytes& frame : frames) {
    const int error = from.Send(frame);
    ASSERT_EQ(error, 0) << std::strerror(error) << ", " << frame.size() << " bytes";
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::optional<Bytes> received = to.Receive();
    ASSERT_TRUE(received.has_value()) << "frame " << i << " of " << frames.size() << " is missing, "
                                      << frames[i].size() << " bytes";
    ASSERT_EQ(*received, frames[i]) << "frame " << i << " of " << frames.size();
  }
}

void ExpectConnected(TwoPorts& ports) {
  ExpectDelivered(ports.a(), ports.b(), {RandomFrame(60, 1)});
  ExpectDelivered(ports.b(), ports.a(), {RandomFrame(61, 2)});
}

void ExpectAsleep(const GatewayForTest& gateway) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const uint64_t turns = gateway.Count(ledger::WorkerCounter::kIterations);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(gateway.Count(ledger::WorkerCounter::kIterations), turns + 10);
}

}  // namespace wakegate::testing
