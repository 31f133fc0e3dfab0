// More than a port was made for: larger frames, more frames.
#include <atomic>
#include <chrono>
#include <thread>

#include "gateway/testing/eventually.h"
#include "tests/conformance/conformance_test.h"

namespace wakegate::testing {
namespace {

using ledger::DropReason;

using MtuTest = PairTest;
INSTANTIATE_TEST_SUITE_P(Kinds, MtuTest, PairsOnceOpen(), KindName());

TEST_P(MtuTest, LargeFramesPassOnceTheMtuIsRaisedAndAreDroppedByNameOnceItIsLowered) {
  constexpr uint32_t kLargeMtu = 9000;
  TwoPorts ports(from(), to());
  ExpectConnected(ports);
  const std::vector<Bytes> frames = {RandomFrame(60, 1), RandomFrame(kLargeMtu + 14, 2),
                                     RandomFrame(2048, 3), RandomFrame(kLargeMtu + 14, 4),
                                     RandomFrame(60, 5)};
  for (int round = 0; round < 3; ++round) {
    for (const char* port : {"a", "b"}) ports.bed().settings(port).mtu = kLargeMtu;
    ports.a().SetMtu(kLargeMtu);
    ports.b().SetMtu(kLargeMtu);
    ports.bed().Apply();
    EXPECT_EQ(ports.gateway().PortStatus("a").mtu(), kLargeMtu);
    ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.a(), ports.b(), frames));
    ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.b(), ports.a(), frames));

    ports.bed().settings("b").mtu = 1500;
    ports.bed().Apply();
    const uint64_t too_long = ports.gateway().Dropped("a", DropReason::kTooLong);
    for (const Bytes& frame : frames) EXPECT_EQ(ports.a().Send(frame), 0);
    EXPECT_EQ(ports.b().Receive(), frames.front());
    EXPECT_EQ(ports.b().Receive(), frames.back());
    EXPECT_EQ(ports.gateway().Dropped("a", DropReason::kTooLong), too_long + 3);
  }
}

// Only a memory port's host can send as fast as the gateway receives.
using FloodTest = KindTest;
INSTANTIATE_TEST_SUITE_P(Kinds, FloodTest, ValuesIn(AllKinds()), KindName());

TEST_P(FloodTest, AGatewayThatOnlySendsIsConfiguredAndStopsInTime) {
  using std::chrono::steady_clock;
  for (const IdleMode mode : {IdleMode::kPoll, IdleMode::kInterrupt}) {
    TwoPorts ports(MemoryKind(), GetParam(), {.workers = 2, .idle_mode = mode});
    const Bytes frame = RandomFrame(1514, 1);
    std::atomic<bool> stop = false;
    std::thread flood([&] {
      while (!stop) ports.a().Send(frame);
    });
    EXPECT_TRUE(Eventually([&] { return ports.gateway().Received("a") > 10'000; }));
    const auto start = steady_clock::now();
    for (const uint32_t burst : {1, 64, 8, 32}) {
      ports.bed().settings("b").knobs["burst_size"] = std::to_string(burst);
      ports.bed().Apply();
    }
    ports.gateway().Restart();
    EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
    stop = true;
    flood.join();
    ports.a().Attach();
    ports.b().Attach();
    ExpectConnected(ports);
  }
}

}  // namespace
}  // namespace wakegate::testing
