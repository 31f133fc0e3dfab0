// Links go down and come up again, at either end.
#include "gateway/testing/eventually.h"
#include "tests/conformance/conformance_test.h"
#include "tests/conformance/traffic.h"

namespace wakegate::testing {
namespace {

using ledger::DropReason;
using ledger::PortCounter;

using LinkTest = PairTest;
INSTANTIATE_TEST_SUITE_P(Kinds, LinkTest, AllPairs(), KindName());
using FarLinkTest = PairTest;
INSTANTIATE_TEST_SUITE_P(Kinds, FarLinkTest, PairsOnceOpen(), KindName());

TEST_P(FarLinkTest, TrafficResumesWhenTheFarSideIsUpAgain) {
  TwoPorts ports(from(), to());
  const auto state = [&] {
    ports.gateway().gateway().Tick(/*devices_changed=*/true);
    return ports.gateway().PortStatus("b").state();
  };
  // By name, or by the kernel after it has said that it takes the frame.
  const auto dropped = [&] {
    state();
    return ports.gateway().Dropped("b", DropReason::kLinkDown) +
           ports.gateway().Count("b", PortCounter::kKernelTxDropped);
  };
  Traffic there(ports.a(), ports.b());
  Traffic back(ports.b(), ports.a());
  for (int round = 0; round < 3; ++round) {
    ports.b().SetLink(false);
    EXPECT_TRUE(Eventually([&] { return state() == v1::PortStatus::STATE_NO_CARRIER; }));
    const uint64_t dropped_before = dropped();
    EXPECT_TRUE(Eventually([&] { return dropped() > dropped_before; }));
    ports.b().SetLink(true);
    EXPECT_TRUE(Eventually([&] { return state() == v1::PortStatus::STATE_UP; }));
    ASSERT_TRUE(there.Flows());
    ASSERT_TRUE(back.Flows());
  }
}

TEST_P(LinkTest, ASleepingWorkerIsNotKeptAwakeByALinkThatIsDown) {
  TwoPorts ports(from(), to(), {.idle_mode = IdleMode::kInterrupt});
  ports.a().SetLink(false);
  ports.b().SetLink(false);
  ExpectAsleep(ports.gateway());
  ports.a().SetLink(true);
  ports.b().SetLink(true);
  Traffic there(ports.a(), ports.b());
  Traffic back(ports.b(), ports.a());
  EXPECT_TRUE(there.Flows());
  EXPECT_TRUE(back.Flows());
}

TEST_P(LinkTest, TrafficResumesWhenThePortIsPutUpAgain) {
  TwoPorts ports(from(), to());
  Traffic there(ports.a(), ports.b());
  Traffic back(ports.b(), ports.a());
  for (const char* port : {"a", "b", "b"}) {
    ports.bed().settings(port).admin_up = false;
    ports.bed().Apply();
    EXPECT_EQ(ports.gateway().PortStatus(port).state(), v1::PortStatus::STATE_ADMIN_DOWN);
    const char* other = *port == 'a' ? "b" : "a";
    EXPECT_TRUE(
        Eventually([&] { return ports.gateway().Dropped(other, DropReason::kPortDown) > 0; }));
    ports.bed().settings(port).admin_up = true;
    ports.bed().Apply();
    ASSERT_TRUE(there.Flows()) << "after " << port << " was down";
    ASSERT_TRUE(back.Flows()) << "after " << port << " was down";
  }
}

}  // namespace
}  // namespace wakegate::testing
