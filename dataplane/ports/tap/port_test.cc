#include "dataplane/ports/tap/port.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/netdev/network_device.h"
#include "dataplane/ports/tap/tap_for_test.h"
#include "gateway/testing/eventually.h"

namespace wakegate {
namespace {

using testing::BuildFrame;
using testing::Bytes;
using testing::BytesOf;
using ::testing::ElementsAre;
using testing::Pattern;

std::size_t OpenFileCount() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

class TapPortTest : public TapTest {
 protected:
  DeviceState State() {
    absl::StatusOr<DeviceState> state = port_->ReadDevice();
    EXPECT_TRUE(state.ok()) << state.status();
    return state.ok() ? *state : DeviceState{};
  }
  // A packet each way, unchanged.
  void ExpectTraffic(PeerForTest& host) {
    const Bytes frame = BuildFrame({.payload = Pattern(500)});
    ASSERT_EQ(host.TrySend(frame), 0);
    EXPECT_THAT(Receive(), ElementsAre(frame));
    Send({frame});
    const std::optional<PeerForTest::Frame> received = host.Receive();
    ASSERT_TRUE(received.has_value());
    EXPECT_EQ(received->bytes, frame);
  }
};

TEST_F(TapPortTest, ANewDeviceIsDownUntilItIsPutUp) {
  absl::StatusOr<std::unique_ptr<Port>> port = TryOpen(Config());
  ASSERT_TRUE(port.ok()) << port.status();
  port_ = *std::move(port);
  EXPECT_FALSE(State().admin_up);
  ASSERT_TRUE(port_->SetAdminUp(true).ok());
  const DeviceState state = State();
  EXPECT_TRUE(state.admin_up);
  EXPECT_TRUE(state.carrier);
  EXPECT_EQ(state.mtu, 1500U);
  EXPECT_EQ(state.mac_address, NetworkDevice::Find("tap0")->Read()->mac_address);
  EXPECT_EQ(port_->interface_index(), uint32_t(NetworkDevice::Find("tap0")->index()));
  EXPECT_TRUE(port_->SetPromiscuous(true).ok());
}

TEST_F(TapPortTest, PutDownItPullsTheCableAndTheHostKeepsItsAddresses) {
  Open();
  Ip("address add 10.0.0.1/24 dev tap0");
  for (const bool up : {false, true, false}) {
    ASSERT_TRUE(port_->SetAdminUp(up).ok());
    const LinkState there = *NetworkDevice::Find("tap0")->Read();
    EXPECT_TRUE(there.admin_up);
    EXPECT_EQ(there.carrier, up);
    Ip("route show | grep -q 10.0.0.0/24");
  }
  ASSERT_TRUE(port_->SetAdminUp(true).ok());
  PeerForTest host("tap0");
  // The host takes notice of its carrier some time later.
  ASSERT_TRUE(Eventually([&] {
    host.TrySend(BuildFrame({}));
    return !Receive().empty();
  }));
  while (!Receive().empty()) {
  }
  ExpectTraffic(host);
}

TEST_F(TapPortTest, TheMacAddressChangesLive) {
  Open();
  PeerForTest host("tap0");
  ASSERT_TRUE(port_->SetMacAddress("02:00:00:00:00:ab").ok());
  EXPECT_EQ(State().mac_address, "02:00:00:00:00:ab");
  EXPECT_EQ(NetworkDevice::Find("tap0")->Read()->mac_address, "02:00:00:00:00:ab");
  ExpectTraffic(host);
}

TEST_F(TapPortTest, TakesAllThatAHostsStackCanTake) {
  Open();
  const TransmitCapabilities capabilities = port_->transmit_capabilities(9000);
  EXPECT_EQ(capabilities.mtu, 9000U);
  EXPECT_TRUE(capabilities.checksum && capabilities.chains);
  EXPECT_TRUE(capabilities.tcp4_segmentation && capabilities.tcp6_segmentation);
}

TEST_F(TapPortTest, FramesOf9000BytesPassOnceTheMtuIsRaised) {
  Open();
  PeerForTest host("tap0");
  const Bytes frame = BuildFrame({.payload = Pattern(9000 - 20 - 20)});
  EXPECT_EQ(host.TrySend(frame), EMSGSIZE);
  ASSERT_TRUE(port_->SetMtu(9000).ok());
  EXPECT_EQ(State().mtu, 9000U);
  ASSERT_EQ(host.TrySend(frame), 0);
  EXPECT_THAT(Receive(), ElementsAre(frame));
  Send({frame});
  EXPECT_EQ(host.Receive()->bytes, frame);
}

TEST_F(TapPortTest, AnMtuThatATapCannotHaveIsRefused) {
  Open();
  EXPECT_EQ(port_->SetMtu(70000).message(),
            "set MTU of tap0 to 70000: Invalid argument (mtu greater than device maximum)");
  EXPECT_EQ(State().mtu, 1500U);
}

TEST_F(TapPortTest, AllQueuesCarryPackets) {
  Open(Config(4));
  ASSERT_EQ(port_->rx_queues().size(), 4U);
  ASSERT_EQ(port_->tx_queues().size(), 4U);
  PeerForTest host("tap0");
  std::multiset<Bytes> sent, received;
  for (uint16_t flow = 0; flow < 64; ++flow) {
    const Bytes frame = BuildFrame({.source_port = flow, .payload = Pattern(100, flow)});
    ASSERT_EQ(host.TrySend(frame), 0);
    sent.insert(frame);
  }
  std::size_t queues_with_packets = 0;
  for (const AnyRxQueue& queue : port_->rx_queues()) {
    Batch batch;
    EXPECT_EQ(queue.Receive(batch), RxResult::kDrained);
    for (const rte_mbuf* packet : batch.packets()) received.insert(BytesOf(*packet));
    queues_with_packets += !batch.empty();
    rte_pktmbuf_free_bulk(batch.data(), batch.size());
  }
  EXPECT_EQ(received, sent);
  EXPECT_GT(queues_with_packets, 1U);
  for (uint32_t i = 0; i < 4; ++i) {
    const Bytes frame = BuildFrame({.payload = Pattern(100, i)});
    Batch batch;
    batch.Append(testing::MakePacket(pool_.get(), frame));
    port_->tx_queues()[i].Send(batch, 0);
    EXPECT_EQ(host.Receive()->bytes, frame);
    EXPECT_EQ(tx_[i]->counters[ledger::TxCounter::kPackets].Get(), 1U);
  }
}

TEST_F(TapPortTest, APersistentDeviceKeepsItsIdentityAndAddresses) {
  Open(Config(1, /*persistent=*/true));
  Ip("address add 10.0.0.1/24 dev tap0");
  const uint32_t index = port_->interface_index();
  const DeviceState before = State();
  port_.reset();
  EXPECT_FALSE(NetworkDevice::Find("tap0")->Read()->carrier);
  Open(Config(1, /*persistent=*/true));
  EXPECT_EQ(port_->interface_index(), index);
  EXPECT_EQ(State().mac_address, before.mac_address);
  Ip("address show dev tap0 | grep -q 10.0.0.1/24");
  PeerForTest host("tap0");
  ExpectTraffic(host);
}

TEST_F(TapPortTest, ADeviceThatIsNotPersistentGoesWithThePort) {
  Open(Config(1, /*persistent=*/true));
  Open(Config(1, /*persistent=*/false));
  port_.reset();
  EXPECT_EQ(NetworkDevice::Find("tap0").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(TapPortTest, OneQueueIsEnoughOnADeviceForSeveral) {
  Open(Config(4, /*persistent=*/true));
  Open(Config(1, /*persistent=*/true));
  PeerForTest host("tap0");
  ExpectTraffic(host);
}

TEST_F(TapPortTest, IsRecreatedAHundredTimesAtOnceWithoutLeavingAFileOpen) {
  Open(Config(2));
  port_.reset();
  const std::size_t files = OpenFileCount();
  for (int i = 0; i < 100; ++i) {
    // Made to stay, attached to and made to go, with one queue and with two.
    Open(Config(1 + i / 2 % 2, /*persistent=*/i % 2 == 0));
    ASSERT_NE(port_, nullptr) << "attempt " << i;
    port_.reset();
  }
  EXPECT_EQ(OpenFileCount(), files);
}

TEST_F(TapPortTest, FollowsADeviceThatIsRenamed) {
  Open();
  Ip("link set tap0 name uplink");
  ASSERT_TRUE(port_->SetMtu(1400).ok());
  EXPECT_EQ(NetworkDevice::Find("uplink")->Read()->mtu, 1400U);
}

TEST_F(TapPortTest, FollowsADeviceThatIsMovedToAnotherNamespace) {
  Open();
  const FileDescriptor ours(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  std::thread([&] {
    EnterNewNetworkNamespace();
    // They have its index here, so that it gets another one.
    Ip("link add veth0 type veth peer name veth1");
    const FileDescriptor theirs(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(setns(ours.get(), CLONE_NEWNET), 0);
    Ip("link set tap0 netns /proc/" + std::to_string(getpid()) + "/fd/" +
       std::to_string(theirs.get()));
    ASSERT_EQ(setns(theirs.get(), CLONE_NEWNET), 0);
    ASSERT_FALSE(State().admin_up);
    ASSERT_TRUE(port_->SetAdminUp(true).ok());
    ASSERT_TRUE(port_->SetMtu(1400).ok());
    const LinkState there = *NetworkDevice::Find("tap0")->Read();
    EXPECT_TRUE(there.admin_up);
    EXPECT_EQ(there.mtu, 1400U);
    EXPECT_EQ(port_->interface_index(), uint32_t(there.index));
    PeerForTest host("tap0");
    ExpectTraffic(host);
  }).join();
}

TEST_F(TapPortTest, SaysWhenItsDeviceWasDeleted) {
  Open();
  Ip("link del tap0");
  const absl::Status status = port_->ReadDevice().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "tap tap0: No such device (it was deleted)");
  EXPECT_EQ(port_->SetMtu(1400).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(port_->SetAdminUp(true).code(), absl::StatusCode::kNotFound);
}

TEST_F(TapPortTest, TheKernelsCountsBeginWithThePortAndStayWhenTheDeviceGoes) {
  Open(Config(1, /*persistent=*/true));
  {
    PeerForTest host("tap0");
    ExpectTraffic(host);
  }
  Open(Config(1, /*persistent=*/true));
  State();
  EXPECT_EQ(port_->ReadKernelCounters().tx_packets, 0U);
  Ip("link set tap0 txqueuelen 100");
  PeerForTest host("tap0");
  ExpectTraffic(host);
  const Bytes frame = BuildFrame({});
  for (int i = 0; i < 130; ++i) host.TrySend(frame);
  State();
  const KernelCounters counters = port_->ReadKernelCounters();
  EXPECT_EQ(counters.rx_packets, 1U);
  EXPECT_GE(counters.tx_dropped, 30U) << "what the gateway was too slow for";
  EXPECT_EQ(counters.tx_packets, 1U);
  std::size_t received = 0;
  while (std::size_t count = Receive().size()) received += count;
  EXPECT_EQ(received + counters.tx_dropped, 130U);
  Ip("link del tap0");
  EXPECT_FALSE(port_->ReadDevice().ok());
  EXPECT_EQ(port_->ReadKernelCounters().tx_dropped, counters.tx_dropped);
}

}  // namespace
}  // namespace wakegate
