// Taps in other network namespaces: by configuration, or because somebody took them there.
#include "dataplane/ports/tap/locate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/netdev/network_device.h"
#include "dataplane/netdev/network_namespace.h"
#include "dataplane/ports/tap/tap_for_test.h"
#include "gateway/testing/eventually.h"

namespace wakegate {
namespace {

using ::testing::ElementsAre;

class LocateTapTest : public TapTest {
 protected:
  LocateTapTest() {
    EnterOwnRunFolder();
    Ip("netns add blue");
    Ip("netns exec blue sh -c 'echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6'");
    // Takes an index, so that a device that moves there gets another one.
    Ip("-n blue link add veth0 type veth peer name veth1");
  }

  static v1::TapPort Persistent() { return Config(1, /*persistent=*/true); }
  static v1::TapPort InBlue() {
    v1::TapPort config = Persistent();
    config.set_network_namespace("blue");
    return config;
  }

  static bool IsAtHome(const char* name) { return NetworkDevice::Find(name).ok(); }
  static absl::StatusOr<LinkState> InBlue(const char* name) {
    absl::StatusOr<LinkState> link = absl::UnknownError("");
    const absl::Status status = NetworkNamespace::Open("blue")->Run([&] {
      absl::StatusOr<NetworkDevice> device = NetworkDevice::Find(name);
      if (device.ok()) link = device->Read();
      return device.status();
    });
    if (!status.ok()) return status;
    return link;
  }

  void ExpectTrafficInBlue(const char* name) {
    ASSERT_TRUE(NetworkNamespace::Open("blue")
                    ->Run([&] {
                      PeerForTest host(name);
                      const testing::Bytes frame = Frame(100);
                      EXPECT_EQ(host.TrySend(frame), 0);
                      EXPECT_THAT(Receive(), ElementsAre(frame));
                      Send({frame});
                      const auto received = host.Receive();
                      EXPECT_TRUE(received.has_value() && received->bytes == frame);
                      return absl::OkStatus();
                    })
                    .ok());
  }
};

TEST_F(LocateTapTest, AConfiguredNamespaceIsWhereTheDeviceIsMadeAndFoundAgain) {
  Open(InBlue());
  EXPECT_FALSE(IsAtHome("tap0"));
  EXPECT_EQ(port_->ReadDevice()->network_namespace, "blue");
  EXPECT_EQ(port_->ReadDevice()->interface, "tap0");
  ASSERT_TRUE(port_->SetMtu(1400).ok());
  EXPECT_EQ(InBlue("tap0")->mtu, 1400U);
  ExpectTrafficInBlue("tap0");
  const int index = InBlue("tap0")->index;
  Open(InBlue());
  EXPECT_EQ(InBlue("tap0")->index, index);
  ExpectTrafficInBlue("tap0");
}

TEST_F(LocateTapTest, NamesakesInTwoNamespacesAreTwoDevices) {
  Open(InBlue());
  const std::unique_ptr<Port> in_blue = std::move(port_);
  Open(Persistent());
  EXPECT_EQ(in_blue->ReadDevice()->network_namespace, "blue");
  EXPECT_EQ(port_->ReadDevice()->network_namespace, "");
  EXPECT_NE(in_blue->ReadDevice()->mac_address, port_->ReadDevice()->mac_address);
}

TEST_F(LocateTapTest, ANamespaceThatIsNotThereIsSaid) {
  v1::TapPort config = Persistent();
  config.set_network_namespace("green");
  EXPECT_EQ(TryOpen(config).status().message(),
            "open network namespace /run/netns/green: No such file or directory (see \"ip netns "
            "list\", or give an absolute path)");
  EXPECT_FALSE(IsAtHome("tap0"));
}

TEST_F(LocateTapTest, WhatGoesWrongInAnotherNamespaceIsSaidToBeThere) {
  v1::TapPort config = InBlue();
  config.set_interface("veth0");
  EXPECT_EQ(TryOpen(config).status().message(),
            "in network namespace blue: TUNSETIFF veth0: Invalid argument (it exists and is veth, "
            "not a tap; choose another interface name)");
}

TEST_F(LocateTapTest, ATapThatWasMovedIsFoundAgainWithItsAddresses) {
  Open(Persistent());
  port_.reset();
  Ip("link set tap0 netns blue");
  Ip("-n blue address add 10.0.0.1/24 dev tap0");
  const int index = InBlue("tap0")->index;
  for (int restart = 0; restart < 2; ++restart) {
    Open(Persistent());
    EXPECT_EQ(InBlue("tap0")->index, index);
    EXPECT_FALSE(IsAtHome("tap0")) << "a second one";
    ExpectTrafficInBlue("tap0");
    port_.reset();
  }
  Ip("-n blue address show dev tap0 | grep -q 10.0.0.1/24");
}

TEST_F(LocateTapTest, ATapThatWasRenamedIsFoundAgain) {
  Open(Persistent());
  port_.reset();
  Ip("link set tap0 name uplink");
  Open(Persistent());
  EXPECT_EQ(port_->ReadDevice()->interface, "uplink");
  EXPECT_FALSE(IsAtHome("tap0"));
  port_.reset();
  Ip("link set uplink netns blue");
  Open(Persistent());
  EXPECT_EQ(port_->ReadDevice()->interface, "uplink");
  EXPECT_EQ(port_->ReadDevice()->network_namespace, "blue");
}

TEST_F(LocateTapTest, ATapMovedToANamespaceThatOnlyAProcessHoldsIsFoundAgain) {
  Open(Persistent());
  port_.reset();
  const pid_t child = fork();
  if (child == 0) {
    unshare(CLONE_NEWNET);
    for (;;) pause();
  }
  const std::string place = "/proc/" + std::to_string(child) + "/ns/net";
  const NetworkNamespace own = *NetworkNamespace::Current();
  ASSERT_TRUE(Eventually([&] {
    const absl::StatusOr<NetworkNamespace> theirs = NetworkNamespace::Open(place);
    return theirs.ok() && !(*theirs == own);
  }));
  Ip("link set tap0 netns " + place);
  Open(Persistent());
  EXPECT_FALSE(IsAtHome("tap0"));
  EXPECT_THAT(port_->ReadDevice()->network_namespace, ::testing::StartsWith("net:["));
  kill(child, SIGKILL);
}

TEST_F(LocateTapTest, ATapThatIsGoneIsMadeAgain) {
  Open(Persistent());
  port_.reset();
  Ip("link set tap0 netns blue");
  Ip("-n blue link del tap0");
  Open(Persistent());
  EXPECT_TRUE(IsAtHome("tap0"));
}

TEST_F(LocateTapTest, AnAliasOfSomebodyElseStays) {
  Ip("tuntap add tap0 mode tap");
  Ip("link set tap0 alias 'to the office'");
  Open(Persistent());
  EXPECT_EQ(NetworkDevice::Find("tap0")->Read()->alias, "to the office");
}

// Anybody may be root in a network namespace of his own, and copy a mark.
TEST_F(LocateTapTest, AMarkInANamespaceOfAnotherUserNamespaceIsNotBelieved) {
  Open(Persistent());
  const std::string mark = NetworkDevice::Find("tap0")->Read()->alias;
  port_.reset();
  Ip("link del tap0");
  const std::string ready = "/run/ready";
  const std::string forge =
      "unshare --user --map-root-user --net sh -c '"
      "ip tuntap add tap0 mode tap && ip link set tap0 alias \"" +
      mark + "\" && touch " + ready + " && exec sleep 1000' & echo $!";
  FILE* shell = popen(forge.c_str(), "r");
  pid_t forger = 0;
  ASSERT_EQ(fscanf(shell, "%d", &forger), 1);
  ASSERT_TRUE(Eventually([&] { return access(ready.c_str(), F_OK) == 0; }));
  Open(Persistent());
  EXPECT_TRUE(IsAtHome("tap0"));
  kill(forger, SIGKILL);
  pclose(shell);
}

TEST_F(LocateTapTest, WithoutCapSysAdminATapIsMadeAllTheSame) {
  std::thread([&] {
    __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    __user_cap_data_struct only_network[2] = {};
    only_network[0].effective = only_network[0].permitted = 1U << CAP_NET_ADMIN;
    ASSERT_EQ(syscall(SYS_capset, &header, only_network), 0);
    absl::StatusOr<std::unique_ptr<Port>> port = TryOpen(Persistent());
    ASSERT_TRUE(port.ok()) << port.status();
    EXPECT_EQ(TryOpen(InBlue()).status().message(),
              "enter a network namespace: Operation not permitted (needs CAP_SYS_ADMIN)");
    port_ = *std::move(port);
  }).join();
  EXPECT_TRUE(IsAtHome("tap0"));
}

}  // namespace
}  // namespace wakegate
