#include "dataplane/netdev/network_device.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "dataplane/netdev/namespace_for_test.h"

namespace wakegate {
namespace {

class NetworkDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    EnterNewNetworkNamespace();
    Ip("link add veth0 address 02:00:00:00:00:01 type veth peer name veth1");
  }
};

TEST_F(NetworkDeviceTest, IsFoundByNameAndRead) {
  absl::StatusOr<NetworkDevice> device = NetworkDevice::Find("veth0");
  ASSERT_TRUE(device.ok()) << device.status();
  const absl::StatusOr<LinkState> state = device->Read();
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->name, "veth0");
  EXPECT_EQ(state->index, device->index());
  EXPECT_EQ(state->mtu, 1500U);
  EXPECT_EQ(state->mac_address, "02:00:00:00:00:01");
  EXPECT_EQ(state->kind, "veth");
  EXPECT_TRUE(state->ethernet);
  EXPECT_FALSE(state->admin_up);
  EXPECT_FALSE(state->carrier);
}

TEST_F(NetworkDeviceTest, AMissingDeviceIsNotFoundWithAHint) {
  const absl::Status status = NetworkDevice::Find("veth9").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "interface veth9: No such device (create it, or check the name with \"ip link\")");
}

TEST_F(NetworkDeviceTest, ANameThatCannotBeIsRefused) {
  EXPECT_EQ(NetworkDevice::Find("").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(NetworkDevice::Find(std::string(5 << 20, 'x')).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(NetworkDeviceTest, LoopbackIsNotEthernet) {
  absl::StatusOr<NetworkDevice> device = NetworkDevice::Find("lo");
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_FALSE(device->Read()->ethernet);
}

TEST_F(NetworkDeviceTest, GoesUpAndDownAndItsCarrierFollowsThePeer) {
  NetworkDevice device = *NetworkDevice::Find("veth0");
  ASSERT_TRUE(device.SetUp(true).ok());
  EXPECT_TRUE(device.Read()->admin_up);
  EXPECT_FALSE(device.Read()->carrier);
  ASSERT_TRUE(NetworkDevice::Find("veth1")->SetUp(true).ok());
  EXPECT_TRUE(device.Read()->carrier);
  ASSERT_TRUE(device.SetUp(false).ok());
  EXPECT_FALSE(device.Read()->admin_up);
}

TEST_F(NetworkDeviceTest, AnMtuThatTheDeviceCannotHaveIsRefusedInTheKernelsWords) {
  NetworkDevice device = *NetworkDevice::Find("veth0");
  ASSERT_TRUE(device.SetMtu(9000).ok());
  const absl::Status status = device.SetMtu(70000);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "set MTU of veth0 to 70000: Invalid argument (mtu greater than device maximum)");
  EXPECT_EQ(device.Read()->mtu, 9000U);
}

TEST_F(NetworkDeviceTest, StaysTheSameDeviceWhenRenamed) {
  NetworkDevice device = *NetworkDevice::Find("veth0");
  Ip("link set veth0 name renamed");
  EXPECT_EQ(device.Read()->name, "renamed");
  EXPECT_EQ(device.name(), "renamed");
}

TEST_F(NetworkDeviceTest, IsNotFoundOnceDeleted) {
  NetworkDevice device = *NetworkDevice::Find("veth0");
  Ip("link del veth0");
  EXPECT_EQ(device.Read().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(device.SetUp(true).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(device.SetMtu(1400).code(), absl::StatusCode::kNotFound);
}

TEST_F(NetworkDeviceTest, CountsPackets) {
  NetworkDevice device = *NetworkDevice::Find("lo");
  const LinkCounters before = device.Read()->counters;
  const FileDescriptor udp(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in discard = {};
  discard.sin_family = AF_INET;
  discard.sin_port = htons(9);
  discard.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(sendto(udp.get(), "x", 1, 0, reinterpret_cast<sockaddr*>(&discard), sizeof(discard)),
            1);
  const LinkCounters after = device.Read()->counters;
  EXPECT_GT(after.tx_packets, before.tx_packets);
  EXPECT_GT(after.tx_bytes, before.tx_bytes);
  EXPECT_EQ(after.tx_dropped, before.tx_dropped);
}

TEST_F(NetworkDeviceTest, GetsAnotherMacAddress) {
  NetworkDevice device = *NetworkDevice::Find("veth0");
  ASSERT_TRUE(device.SetMacAddress("02:00:00:00:00:ab").ok());
  EXPECT_EQ(device.Read()->mac_address, "02:00:00:00:00:ab");
  EXPECT_EQ(device.SetMacAddress("01:00:00:00:00:01").message(),
            "set MAC address of veth0 to 01:00:00:00:00:01: Cannot assign requested address");
  EXPECT_EQ(device.Read()->mac_address, "02:00:00:00:00:ab");
}

TEST_F(NetworkDeviceTest, KeepsAnAlias) {
  NetworkDevice device = *NetworkDevice::Find("veth0");
  EXPECT_EQ(device.Read()->alias, "");
  ASSERT_TRUE(device.SetAlias("the blue one").ok());
  EXPECT_EQ(device.Read()->alias, "the blue one");
  Ip("link show veth0 | grep -qx '    alias the blue one'");
}

TEST_F(NetworkDeviceTest, AreListedByKind) {
  for (int i = 0; i < 100; ++i) Ip("tuntap add tap" + std::to_string(i) + " mode tap");
  const absl::StatusOr<std::vector<LinkState>> taps = NetworkDevice::List("tun");
  ASSERT_TRUE(taps.ok()) << taps.status();
  EXPECT_EQ(taps->size(), 100U);
  EXPECT_EQ(taps->back().name, "tap99");
  EXPECT_EQ(NetworkDevice::List("veth")->size(), 2U);
  EXPECT_EQ(NetworkDevice::List("wireguard")->size(), 0U);
}

}  // namespace
}  // namespace wakegate
