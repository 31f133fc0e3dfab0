#include "dataplane/netdev/link_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <optional>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/netdev/network_device.h"

namespace wakegate {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

class LinkMonitorTest : public testing::Test {
 protected:
  void SetUp() override {
    EnterNewNetworkNamespace();
    Ip("link add veth0 type veth peer name veth1");
    absl::StatusOr<LinkMonitor> monitor = LinkMonitor::Open();
    ASSERT_TRUE(monitor.ok()) << monitor.status();
    monitor_.emplace(*std::move(monitor));
    index_ = NetworkDevice::Find("veth0")->index();
  }

  bool Readable() {
    pollfd poll_fd = {.fd = monitor_->fd(), .events = POLLIN, .revents = 0};
    return poll(&poll_fd, 1, 0) == 1;
  }

  std::optional<LinkMonitor> monitor_;
  int index_ = 0;
};

TEST_F(LinkMonitorTest, SaysNothingWhileNothingHappens) {
  EXPECT_FALSE(Readable());
  const absl::StatusOr<LinkEvents> events = monitor_->ReadEvents();
  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_THAT(events->changed, IsEmpty());
  EXPECT_THAT(events->vanished, IsEmpty());
  EXPECT_FALSE(events->overrun);
}

TEST_F(LinkMonitorTest, SeesAChange) {
  Ip("link set veth0 up");
  EXPECT_TRUE(Readable());
  const LinkEvents events = *monitor_->ReadEvents();
  EXPECT_THAT(events.changed, Contains(index_));
  EXPECT_THAT(events.vanished, IsEmpty());
  EXPECT_FALSE(Readable());
}

TEST_F(LinkMonitorTest, SeesADeletion) {
  Ip("link del veth0");
  EXPECT_THAT(monitor_->ReadEvents()->vanished, Contains(index_));
}

TEST_F(LinkMonitorTest, ADeviceThatLeavesABridgeHasNotVanished) {
  Ip("link add br0 type bridge");
  Ip("link set veth0 master br0");
  Ip("link set veth0 nomaster");
  const LinkEvents events = *monitor_->ReadEvents();
  EXPECT_THAT(events.changed, Contains(index_));
  EXPECT_THAT(events.vanished, IsEmpty());
}

TEST_F(LinkMonitorTest, TellsWhenItWasOverrunAndGoesOn) {
  NetworkDevice device = *NetworkDevice::Find("veth0");
  for (uint32_t i = 0; i < 5000; ++i) ASSERT_TRUE(device.SetMtu(1400 + i % 2).ok());
  EXPECT_TRUE(monitor_->ReadEvents()->overrun);
  EXPECT_FALSE(monitor_->ReadEvents()->overrun);
  ASSERT_TRUE(device.SetMtu(1300).ok());
  EXPECT_THAT(monitor_->ReadEvents()->changed, Contains(index_));
}

}  // namespace
}  // namespace wakegate
