// Somebody deletes the device of a port.
#include <chrono>
#include <string>
#include <thread>
#include <tuple>

#include "dataplane/control/housekeeping.h"
#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/netdev/network_device.h"
#include "gateway/testing/eventually.h"
#include "tests/conformance/conformance_test.h"
#include "tests/conformance/traffic.h"

namespace wakegate::testing {
namespace {

using ledger::DropReason;
using ledger::PortCounter;

class DeviceTest : public ::testing::TestWithParam<std::tuple<Kind, IdleMode>> {
 protected:
  const Kind& kind() const { return std::get<0>(GetParam()); }
  IdleMode mode() const { return std::get<1>(GetParam()); }

  static void SendUntilGone(TwoPorts& ports) {
    while (ports.gateway().Dropped("b", DropReason::kPortDown) == 0) {
      ports.a().Send(RandomFrame(60, 1));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, DeviceTest,
                         Combine(ValuesIn(KindsWithDevice()),
                                 Values(IdleMode::kPoll, IdleMode::kAdaptive,
                                        IdleMode::kInterrupt)),
                         KindName());
// Idle, their workers sleep.
using SleepingDeviceTest = DeviceTest;
INSTANTIATE_TEST_SUITE_P(Kinds, SleepingDeviceTest,
                         Combine(ValuesIn(KindsWithDevice()),
                                 Values(IdleMode::kAdaptive, IdleMode::kInterrupt)),
                         KindName());

TEST_P(DeviceTest, DeletedUnderTrafficThePortFailsWithAReasonAndIsBackWithItsDevice) {
  TwoPorts ports(MemoryKind(), kind(), {.idle_mode = mode()});
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

TEST_P(DeviceTest, HousekeepingBringsThePortBackByItself) {
  TwoPorts ports(MemoryKind(), kind(), {.idle_mode = mode()});
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
TEST_P(SleepingDeviceTest, TheWorkerIsNotKeptAwakeByADeletedDevice) {
  TwoPorts ports(MemoryKind(), kind(), {.idle_mode = mode()});
  ports.b().DeleteDevice();
  ExpectAsleep(ports.gateway());
  SendUntilGone(ports);
}

// Two ports would take each other's packets, or settings.
TEST(SameDeviceTest, UnderAnotherNameItIsRefusedAndLeftAlone) {
  EnterNewNetworkNamespace();
  Ip("link add veth0 mtu 1400 type veth peer name veth1");
  Ip("link property add dev veth0 altname uplink");
  GatewayForTest gateway;
  const std::string ports = "ports: [{name: a, af_packet: {interface: veth0}}, {name: t, tap: {}}";
  ASSERT_TRUE(gateway.Apply(ports + "]").ok());
  EXPECT_EQ(
      gateway.Apply(ports + ", {name: b, mtu: 1300, af_packet: {interface: uplink}}]"),
      absl::AlreadyExistsError("port b: interface uplink is veth0, which port a has already"));
  EXPECT_EQ(gateway.PortStatus("a").mtu(), 1400U);
  Ip("link set dev t name renamed");
  EXPECT_EQ(gateway.Apply(ports + ", {name: renamed, mtu: 1300, af_packet: {}}]"),
            absl::AlreadyExistsError(
                "port renamed: interface renamed is renamed, which port t has already"));
  gateway.gateway().Tick(/*devices_changed=*/true);
  EXPECT_EQ(gateway.PortStatus("t").interface(), "renamed");
  EXPECT_EQ(gateway.PortStatus("t").mtu(), 1500U);
}

TEST(TapSettingsTest, MacAddressAndCarrierAreSetAtTheStartAndLiveAndTakenBack) {
  EnterNewNetworkNamespace();
  Ip("link add veth0 type veth peer name veth1");
  GatewayForTest gateway;
  const auto apply = [&](const std::string& tap, const std::string& other = "") {
    return gateway.Apply("ports: [{name: t, " + tap + "}, {name: veth0, " + other +
                         "af_packet: {}}]");
  };
  const auto device = [] { return *NetworkDevice::Find("t")->Read(); };

  const std::string first = "admin_up: false, tap: {mac_address: \"02:00:00:00:00:01\"}";
  ASSERT_TRUE(apply(first).ok());
  EXPECT_EQ(device().mac_address, "02:00:00:00:00:01");
  EXPECT_FALSE(device().carrier);
  gateway.Restart();
  EXPECT_FALSE(device().carrier);
  EXPECT_EQ(gateway.PortStatus("t").state(), v1::PortStatus::STATE_ADMIN_DOWN);

  ASSERT_TRUE(apply("tap: {mac_address: \"02:00:00:00:00:02\"}").ok());
  EXPECT_EQ(gateway.Count("t", PortCounter::kReopened), 0U);
  EXPECT_EQ(device().mac_address, "02:00:00:00:00:02");
  EXPECT_TRUE(device().carrier);

  ASSERT_TRUE(apply("tap: {}").ok());
  EXPECT_EQ(device().mac_address, "02:00:00:00:00:02") << "as the device has it";
  Ip("link del dev veth0");
  EXPECT_FALSE(apply(first, "mtu: 9000, ").ok());
  EXPECT_EQ(device().mac_address, "02:00:00:00:00:02");
  EXPECT_TRUE(device().carrier);
}

}  // namespace
}  // namespace wakegate::testing
