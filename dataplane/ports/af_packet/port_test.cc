#include "dataplane/ports/af_packet/port.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/ports/af_packet/fixture_for_test.h"
#include "dataplane/ports/af_packet/ring.h"
#include "dataplane/testing/peer_for_test.h"

namespace wakegate {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class AfPacketPortTest : public AfPacketTest {
 protected:
  absl::Status ErrorOfOpen(const std::string& interface) {
    ledger::RxQueueBlock rx = {};
    ledger::TxQueueBlock tx = {};
    v1::AfPacketPort config;
    config.set_interface(interface);
    config.set_rx_ring_frames(2048);
    config.set_tx_ring_frames(1024);
    return OpenAfPacketPort(config, {.pool = pool_.get(), .rx_blocks = {&rx}, .tx_blocks = {&tx}})
        .status();
  }
  static bool IsPromiscuous() {
    return std::system("ip -d -o link show veth0 | grep -q 'promiscuity 1'") == 0;
  }
};

TEST_F(AfPacketPortTest, AMissingInterfaceIsNamed) {
  const absl::Status status = ErrorOfOpen("veth9");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("veth9"));
}

TEST_F(AfPacketPortTest, ADeviceThatIsNotEthernetIsRefusedWithWhatToDo) {
  const absl::Status status = ErrorOfOpen("lo");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "open lo: not an Ethernet device (name a veth, a NIC, a bridge or the like)");
}

TEST_F(AfPacketPortTest, WithoutCapNetRawTheErrorSaysSo) {
  std::thread([this] {  // Capabilities are a thread's own.
    __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    __user_cap_data_struct data[2] = {};
    ASSERT_EQ(syscall(SYS_capset, &header, data), 0);
    EXPECT_EQ(ErrorOfOpen("veth0").message(),
              "open a packet socket for veth0: Operation not permitted (needs CAP_NET_RAW)");
  })
      .join();
}

TEST_F(AfPacketPortTest, ARingThatCannotBeHadIsToldWithItsSizeAndWhatToDo) {
  const FileDescriptor none(socket(AF_INET, SOCK_DGRAM, 0));
  const auto ring =
      AfPacketRing::Create(none.get(), AfPacketRing::Direction::kReceive, 2048, "veth0");
  EXPECT_THAT(std::string(ring.status().message()),
              ::testing::AllOf(HasSubstr("PACKET_RX_RING of 2048 frames (4096 KiB of kernel "
                                         "memory) on veth0: "),
                               HasSubstr("(free memory, or set rx_ring_frames lower)")));
}

TEST_F(AfPacketPortTest, TheDeviceIsReadAndChangedLive) {
  PortForTest port("veth0", pool_.get());
  absl::StatusOr<DeviceState> state = port.port().ReadDevice();
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_TRUE(state->admin_up && state->carrier);
  EXPECT_EQ(state->mtu, 1500U);
  EXPECT_EQ(state->mac_address, "02:00:00:00:00:01");
  EXPECT_TRUE(port.port().SetMtu(9000).ok());
  EXPECT_TRUE(port.port().SetAdminUp(false).ok());
  state = port.port().ReadDevice();
  EXPECT_EQ(state->mtu, 9000U);
  EXPECT_FALSE(state->admin_up || state->carrier);
  EXPECT_EQ(port.port().SetMtu(70'000).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(port.port().ReadDevice()->mtu, 9000U);
  port.Close();
}

TEST_F(AfPacketPortTest, ADeviceThatIsDownIsOpenedAndWorksOnceUp) {
  Ip("link set veth0 down");
  PortForTest port("veth0", pool_.get());
  PeerForTest peer("veth1");
  ASSERT_TRUE(port.port().SetAdminUp(true).ok());
  bool passed = false;
  for (uint32_t i = 0; i < 100 && !passed; ++i) {
    peer.Send(NumberedFrame(i, 60));
    passed = !port.Receive(1, 20ms).empty();
  }
  EXPECT_TRUE(passed);
  port.Close();
}

TEST_F(AfPacketPortTest, PromiscuousModeIsSetAndPutBack) {
  PortForTest port("veth0", pool_.get());
  EXPECT_FALSE(IsPromiscuous());
  for (int i = 0; i < 2; ++i) {  // The kernel counts.
    EXPECT_TRUE(port.port().SetPromiscuous(true).ok());
  }
  EXPECT_TRUE(IsPromiscuous());
  EXPECT_TRUE(port.port().SetPromiscuous(false).ok());
  EXPECT_FALSE(IsPromiscuous());
  EXPECT_TRUE(port.port().SetPromiscuous(true).ok());
  port.Close();
  EXPECT_FALSE(IsPromiscuous());
}

TEST_F(AfPacketPortTest, KernelCountersBeginAtZero) {
  PeerForTest peer("veth1");
  peer.Send(NumberedFrame(0, 60));
  PortForTest port("veth0", pool_.get());
  EXPECT_TRUE(port.port().ReadDevice().ok());
  EXPECT_EQ(port.port().ReadKernelCounters().rx_packets, 0U);
  peer.Send(NumberedFrame(1, 60));
  EXPECT_EQ(port.Receive(1).size(), 1U);
  EXPECT_TRUE(port.port().ReadDevice().ok());
  EXPECT_EQ(port.port().ReadKernelCounters().rx_packets, 1U);
  EXPECT_EQ(port.port().ReadKernelCounters().tx_packets, 0U);
  port.Close();
}

// A tap hands on a request to fragment UDP (VIRTIO_NET_HDR_GSO_UDP), which packet sockets cannot
// describe any more than SCTP to segment.
TEST_F(AfPacketPortTest, AReceiveRingThatTheKernelNoLongerUsesIsReportedAndWorksOnceReopened) {
  const FileDescriptor tap(open("/dev/net/tun", O_RDWR | O_CLOEXEC));
  ifreq request = {};
  std::strcpy(request.ifr_name, "tap0");
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  ASSERT_EQ(ioctl(tap.get(), TUNSETIFF, &request), 0) << std::strerror(errno);
  Ip("link set tap0 up");
  const auto write_frame = [&tap](const Bytes& frame, const virtio_net_hdr& offload) {
    Bytes bytes(sizeof(offload));
    std::memcpy(bytes.data(), &offload, sizeof(offload));
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    ASSERT_EQ(write(tap.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  };
  const Bytes good = NumberedFrame(1, 60);
  const testing::FrameSpec kFragment = {
      .protocol = IPPROTO_UDP, .partial_checksum = true, .payload = testing::Pattern(4000)};
  virtio_net_hdr fragment = testing::VirtioNetHeaderOf(kFragment, 1400);
  fragment.gso_type = VIRTIO_NET_HDR_GSO_UDP;

  PortForTest port("tap0", pool_.get());
  write_frame(good, {});
  EXPECT_EQ(port.Receive(1).size(), 1U);
  port.port().ReadKernelCounters();
  EXPECT_TRUE(port.port().ReadDevice().ok());
  write_frame(testing::BuildFrame(kFragment), fragment);
  for (int i = 0; i < 5; ++i) write_frame(good, {});
  if (!port.Receive(5, 50ms).empty()) GTEST_SKIP() << "this kernel goes on";
  EXPECT_EQ(port.port().ReadKernelCounters().socket_dropped, 6U);
  const absl::Status status = port.port().ReadDevice().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("receive ring of tap0"));
  port.Close();

  PortForTest again("tap0", pool_.get());
  write_frame(good, {});
  EXPECT_EQ(again.Receive(1).size(), 1U);
  again.Close();
}

// A ring that nobody takes from is full, not out of use.
TEST_F(AfPacketPortTest, AFullRingIsNoFailure) {
  PortForTest port("veth0", pool_.get(), 64);
  PeerForTest peer("veth1");
  for (int round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < 100; ++i) peer.Send(NumberedFrame(i, 60));
    port.port().ReadKernelCounters();
    EXPECT_TRUE(port.port().ReadDevice().ok());
  }
  EXPECT_EQ(port.Receive(64).size(), 64U);
  port.port().ReadKernelCounters();
  EXPECT_TRUE(port.port().ReadDevice().ok());
  port.Close();
}

TEST_F(AfPacketPortTest, AHundredOpensLeaveNothingBehind) {
  const auto descriptors = [] {
    const auto all = std::filesystem::directory_iterator("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto mapped_pages = [] {
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
  };
  const auto open_and_use = [this] {
    PortForTest port("veth0", pool_.get());
    port.Send({testing::MakePacket(pool_.get(), NumberedFrame(1, 60))});
    EXPECT_TRUE(port.Flush());
    port.Close();
  };
  open_and_use();
  const auto descriptors_before = descriptors();
  const long pages_before = mapped_pages();
  for (int i = 0; i < 100; ++i) open_and_use();
  EXPECT_EQ(descriptors(), descriptors_before);
  EXPECT_LE(mapped_pages(), pages_before + 256);  // A ring left behind has 512.
}

}  // namespace
}  // namespace wakegate
