// Somebody deletes the device of a port.
#include <chrono>
#include <thread>

#include "dataplane/control/housekeeping.h"
#include "gateway/testing/eventually.h"
#include "tests/conformance/conformance_test.h"
#include "tests/conformance/traffic.h"

namespace wakegate::testing {
namespace {

using ledger::DropReason;
using ledger::PortCounter;

class DeviceTest : public KindTest {
 protected:
  static void SendUntilGone(TwoPorts& ports) {
    while (ports.gateway().Dropped("b", DropReason::kPortDown) == 0) {
      ports.a().Send(RandomFrame(60, 1));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, DeviceTest, ValuesIn(KindsWithDevice()), KindName());

TEST_P(DeviceTest, DeletedUnderTrafficThePortFailsWithAReasonAndIsBackWithItsDevice) {
  for (const IdleMode mode : {IdleMode::kPoll, IdleMode::kInterrupt}) {
    TwoPorts ports(MemoryKind(), GetParam(), {.idle_mode = mode});
    Host& c = ports.bed().Add("c", MemoryKind());
    Host& d = ports.bed().Add("d", MemoryKind());
    ports.bed().Connect("c", "d");
    ports.bed().Apply();
    Traffic unharmed(c, d);
    {
      Traffic there(ports.a(), ports.b());
      Traffic back(ports.b(), ports.a());
      ASSERT_TRUE(there.Flows());
      ports.b().DeleteDevice();
      EXPECT_TRUE(
          Eventually([&] { return ports.gateway().Dropped("b", DropReason::kPortDown) > 0; }));
      ports.gateway().gateway().Tick(/*devices_changed=*/true);
      const v1::PortStatus status = ports.gateway().PortStatus("b");
      EXPECT_EQ(status.state(), v1::PortStatus::STATE_FAILED);
      EXPECT_NE(status.state_text(), "");
      EXPECT_TRUE(
          Eventually([&] { return ports.gateway().Dropped("a", DropReason::kPortDown) > 0; }));
      ASSERT_TRUE(unharmed.Flows());
    }
    ports.b().MakeDevice();
    ports.gateway().gateway().Tick(/*devices_changed=*/true);
    EXPECT_EQ(ports.gateway().PortStatus("b").state_text(), "");
    ports.b().Attach();
    ExpectConnected(ports);
    unharmed.Stop();
    EXPECT_EQ(unharmed.received(), unharmed.sent());
  }
}

TEST_P(DeviceTest, HousekeepingBringsThePortBackByItself) {
  TwoPorts ports(MemoryKind(), GetParam(), {.idle_mode = IdleMode::kInterrupt});
  auto housekeeping = Housekeeping::Start(ports.gateway().gateway());
  ASSERT_TRUE(housekeeping.ok()) << housekeeping.status();
  for (uint64_t round = 1; round <= 3; ++round) {
    ports.b().DeleteDevice();
    ports.b().MakeDevice();
    ASSERT_TRUE(Eventually([&] {
      return ports.gateway().Count("b", PortCounter::kReopened) == round &&
             ports.gateway().PortStatus("b").state() == v1::PortStatus::STATE_UP;
    })) << ports.gateway().PortStatus("b").ShortDebugString();
    ports.b().Attach();
    ASSERT_NO_FATAL_FAILURE(ExpectConnected(ports));
  }
}

// Even before anybody has looked after the port.
TEST_P(DeviceTest, ASleepingWorkerIsNotKeptAwakeByADeletedDevice) {
  TwoPorts ports(MemoryKind(), GetParam(), {.idle_mode = IdleMode::kInterrupt});
  ports.b().DeleteDevice();
  ExpectAsleep(ports.gateway());
  SendUntilGone(ports);
}

}  // namespace
}  // namespace wakegate::testing
