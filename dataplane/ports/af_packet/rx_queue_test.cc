#include "dataplane/ports/af_packet/rx_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <rte_cycles.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/offload.h"
#include "dataplane/ports/af_packet/fixture_for_test.h"
#include "dataplane/testing/peer_for_test.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::RxCounter;
using ::testing::ElementsAre;
using testing::FrameSpec;
using testing::Pattern;
using namespace std::chrono_literals;

class AfPacketRxQueueTest : public AfPacketTest {
 protected:
  void SetUp() override {
    AfPacketTest::SetUp();
    Open();
    peer_ = std::make_unique<PeerForTest>("veth1");
  }
  void TearDown() override {
    if (port_ != nullptr) port_->Close();
  }
  void Open(uint32_t rx_ring_frames = 2048) {
    port_ = std::make_unique<PortForTest>("veth0", pool_.get(), rx_ring_frames);
  }
  // Sends one frame, and gives what the port makes of it.
  PortForTest::Packet Pass(const Bytes& frame, const virtio_net_hdr& offload = {}) {
    peer_->Send(frame, offload);
    const std::vector<PortForTest::Packet> packets = port_->Receive(1);
    if (packets.empty()) return {};
    return packets.front();
  }

  std::unique_ptr<PortForTest> port_;
  std::unique_ptr<PeerForTest> peer_;
};

TEST_F(AfPacketRxQueueTest, FramesOfAnySizeArriveUnchangedAndInOrder) {
  std::vector<Bytes> sent;
  for (uint32_t i = 0; i < 1501; ++i) sent.push_back(NumberedFrame(i, 14 + i));
  for (const Bytes& frame : sent) peer_->Send(frame);
  EXPECT_EQ(BytesOf(port_->Receive(sent.size())), sent);
  EXPECT_EQ(SystemCalls(port_->rx_ledger()), 0U);
}

TEST_F(AfPacketRxQueueTest, ABurstAndOneMoreArriveWithoutMoreTraffic) {
  for (uint32_t i = 0; i <= kMaxBurst; ++i) peer_->Send(NumberedFrame(i, 60));
  Batch batch;
  EXPECT_EQ(port_->Receive(batch), RxResult::kMore);
  EXPECT_EQ(batch.size(), kMaxBurst);
  rte_pktmbuf_free_bulk(batch.data(), batch.size());
  Batch rest;
  EXPECT_TRUE(port_->rx().ready_word()->IsReady());
  EXPECT_EQ(port_->Receive(rest), RxResult::kDrained);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(testing::BytesOf(*rest[0]), NumberedFrame(kMaxBurst, 60));
  rte_pktmbuf_free(rest[0]);
  EXPECT_FALSE(port_->rx().ready_word()->IsReady());
  EXPECT_EQ(port_->rx_ledger().counters[RxCounter::kPackets].Get(), kMaxBurst + 1);
}

// In a process that the kernel kills at its first system call.
TEST_F(AfPacketRxQueueTest, NeitherAnIdleQueueNorAFrameCostsASystemCall) {
  for (uint32_t i = 0; i < 10; ++i) peer_->Send(NumberedFrame(i, 1514));
  const AnyRxQueue rx = port_->rx();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    Batch batch;
    for (int i = 0; i < 1000; ++i) {
      if (rx.ready_word()->IsReady() || batch.empty()) rx.Receive(batch);
    }
    const bool idle = rx.Receive(batch) == RxResult::kDrained && !rx.ready_word()->IsReady();
    const bool all = batch.size() == 10;
    rte_pktmbuf_free_bulk(batch.data(), batch.size());  // The pool is shared with our parent.
    syscall(SYS_exit, all && idle ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(AfPacketRxQueueTest, VlanTagsAreRestored) {
  // A second tag, or one of 802.1ad, is part of what a packet socket counts as MTU.
  Ip("link set veth0 mtu 1508");
  Ip("link set veth1 mtu 1508");
  const std::vector<testing::VlanTag> kTag = {{0x8100, 5 << 13 | 1 << 12 | 100}};
  const std::vector<testing::VlanTag> kStack = {{0x88a8, 3 << 13 | 200}, {0x8100, 100}};
  for (const auto& tags : {kTag, kStack, {{0x88a8, 7}}, {{0x8100, 0}}}) {
    for (const std::size_t payload : {6, 1400, 1460}) {  // The last: 1518 and 1522 bytes.
      const Bytes frame = testing::BuildFrame({.tags = tags, .payload = Pattern(payload)});
      EXPECT_EQ(Pass(frame).bytes, frame);
    }
  }
}

TEST_F(AfPacketRxQueueTest, PartialChecksumsAreMarkedWhereTheyAre) {
  for (const FrameSpec& spec : SpecsWithPartialChecksum(333)) {
    const Bytes frame = testing::BuildFrame(spec);
    peer_->Send(frame, testing::VirtioNetHeaderOf(spec));
    Batch batch;
    while (batch.empty()) port_->Receive(batch);
    EXPECT_EQ(testing::BytesOf(*batch[0]), frame);
    EXPECT_EQ(batch[0]->l2_len, 14 + 4 * spec.tags.size());
    EXPECT_TRUE(CompleteRequestedChecksum(*batch[0]));
    EXPECT_EQ(testing::FindFrameError(testing::BytesOf(*batch[0])), "");
    rte_pktmbuf_free(batch[0]);
  }
}

TEST_F(AfPacketRxQueueTest, SuperFramesArriveWholeAndAskForSegmentation) {
  for (const FrameSpec& spec : SpecsWithPartialChecksum(65'000)) {
    const Bytes frame = testing::BuildFrame(spec);
    const PortForTest::Packet packet =
        Pass(frame, testing::VirtioNetHeaderOf(spec, /*gso_size=*/1400));
    EXPECT_EQ(packet.bytes, frame);
    EXPECT_EQ(packet.tso_segsz, 1400);
    EXPECT_EQ(packet.l2_len, 14 + 4 * spec.tags.size());
    EXPECT_NE(packet.ol_flags & kSegmentationFlags, 0U);
  }
}

TEST_F(AfPacketRxQueueTest, LargeAndSmallFramesKeepTheirOrder) {
  const FrameSpec kLarge = {.partial_checksum = true, .payload = Pattern(60'000)};
  std::vector<Bytes> sent;
  for (uint32_t i = 0; i < 100; ++i) {
    FrameSpec spec = kLarge;
    spec.tcp_sequence = i;
    const bool large = i % 3 != 0;
    sent.push_back(large ? testing::BuildFrame(spec) : NumberedFrame(i, 100 + i));
    peer_->Send(sent.back(), large ? testing::VirtioNetHeaderOf(spec, 1400) : virtio_net_hdr{});
  }
  EXPECT_EQ(BytesOf(port_->Receive(sent.size())), sent);
  EXPECT_EQ(SystemCalls(port_->rx_ledger()), 66U);
}

// A frame whose rest the kernel had no memory for must not get that of another.
TEST_F(AfPacketRxQueueTest, LargeFramesThatTheSocketHasNoRoomForAreDroppedAsTruncated) {
  const int kFewFrames = 300'000;
  ASSERT_EQ(
      setsockopt(port_->rx().wait_fd(), SOL_SOCKET, SO_RCVBUF, &kFewFrames, sizeof(kFewFrames)), 0);
  uint32_t number = 0;
  const auto send_large = [&] {
    const FrameSpec spec = {
        .tcp_sequence = number++, .partial_checksum = true, .payload = Pattern(60'000, number)};
    peer_->Send(testing::BuildFrame(spec), testing::VirtioNetHeaderOf(spec, 1400));
    return testing::BuildFrame(spec);
  };
  for (int round = 0; round < 10; ++round) {
    std::vector<Bytes> sent;
    for (int i = 0; i < 30; ++i) sent.push_back(send_large());
    const std::vector<Bytes> received = BytesOf(port_->Receive(sent.size(), 50ms));
    EXPECT_GT(received.size(), 3U);
    EXPECT_LT(received.size(), 20U);
    // The first ones found room. One that did not is followed by none that is another's.
    EXPECT_EQ(received, std::vector<Bytes>(sent.begin(), sent.begin() + received.size()));
  }
  EXPECT_GT(port_->rx_ledger().drops[DropReason::kTruncated].Get(), 100U);
  const Bytes last = send_large();
  EXPECT_THAT(BytesOf(port_->Receive(1)), ElementsAre(last));
}

TEST_F(AfPacketRxQueueTest, PacketsForWhichThereIsNoBufferArriveLaterWithoutNewTraffic) {
  std::vector<rte_mbuf*> all(pool_.count());
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool_.get(), all.data(), all.size()), 0);
  const FrameSpec kLarge = {.partial_checksum = true, .payload = Pattern(60'000)};
  std::vector<Bytes> sent = {testing::BuildFrame(kLarge)};
  peer_->Send(sent[0], testing::VirtioNetHeaderOf(kLarge, 1400));
  for (uint32_t i = 0; i < 10; ++i) {
    sent.push_back(NumberedFrame(i, 1514));
    peer_->Send(sent.back());
  }
  for (int i = 0; i < 100; ++i) {
    Batch batch;
    EXPECT_EQ(port_->Receive(batch), RxResult::kRetryLater);
    EXPECT_TRUE(batch.empty());
  }
  EXPECT_EQ(port_->rx_ledger().counters[RxCounter::kRetries].Get(), 100U);
  rte_pktmbuf_free_bulk(all.data(), all.size());
  EXPECT_EQ(BytesOf(port_->Receive(sent.size())), sent);
}

TEST_F(AfPacketRxQueueTest, WhatWeSendIsNotReceived) {
  port_->Send({testing::MakePacket(pool_.get(), NumberedFrame(1, 60))});
  EXPECT_TRUE(port_->Flush());
  EXPECT_EQ(peer_->Receive()->bytes, NumberedFrame(1, 60));
  EXPECT_TRUE(port_->Receive(1, 50ms).empty());
  EXPECT_EQ(port_->rx_ledger().counters[RxCounter::kPackets].Get(), 0U);
}

TEST_F(AfPacketRxQueueTest, WhatFindsTheRingFullIsCountedAndTheRingDrainsInOrder) {
  constexpr uint32_t kFrames = 64;
  Open(kFrames);
  std::vector<Bytes> first;
  for (uint32_t i = 0; i < kFrames; ++i) first.push_back(NumberedFrame(i, 60));
  for (const Bytes& frame : first) peer_->Send(frame);
  for (uint32_t i = 0; i < 100; ++i) peer_->Send(NumberedFrame(1000 + i, 60));
  EXPECT_EQ(port_->port().ReadKernelCounters().socket_dropped, 100U);
  EXPECT_EQ(BytesOf(port_->Receive(kFrames)), first);
  EXPECT_EQ(Pass(NumberedFrame(7, 60)).bytes, NumberedFrame(7, 60));
  EXPECT_EQ(port_->port().ReadKernelCounters().socket_dropped, 100U);
}

TEST_F(AfPacketRxQueueTest, FramesOfARaisedMtuArriveWhole) {
  Ip("link set veth1 mtu 9000");
  ASSERT_TRUE(port_->port().SetMtu(9000).ok());
  EXPECT_EQ(Pass(NumberedFrame(1, 9014)).bytes, NumberedFrame(1, 9014));
}

TEST_F(AfPacketRxQueueTest, ArmSaysNoWhereAPacketWaitsAndElseThePacketIsHeard) {
  pollfd ready = {.fd = port_->rx().wait_fd(), .events = POLLIN, .revents = 0};
  EXPECT_TRUE(port_->rx().Arm());
  EXPECT_EQ(poll(&ready, 1, 0), 0);
  peer_->Send(NumberedFrame(1, 60));
  EXPECT_EQ(poll(&ready, 1, 2000), 1);
  port_->rx().Disarm();
  EXPECT_FALSE(port_->rx().Arm());
  EXPECT_EQ(port_->Receive(1).size(), 1U);
  EXPECT_TRUE(port_->rx().Arm());
  EXPECT_EQ(poll(&ready, 1, 0), 0);
}

TEST_F(AfPacketRxQueueTest, ALinkThatGoesDownAndUpAgainCostsNoMoreThanItsPackets) {
  pollfd ready = {.fd = port_->rx().wait_fd(), .events = POLLIN, .revents = 0};
  const FrameSpec kLarge = {.partial_checksum = true, .payload = Pattern(60'000)};
  peer_->Send(testing::BuildFrame(kLarge), testing::VirtioNetHeaderOf(kLarge, 1400));
  Ip("link set veth0 down");
  // The error that waits in the socket now does not cost the frame that waits too.
  EXPECT_THAT(BytesOf(port_->Receive(1)), ElementsAre(testing::BuildFrame(kLarge)));
  Ip("link set veth0 up");
  Ip("link set veth0 down");
  EXPECT_EQ(poll(&ready, 1, 0), 1);
  EXPECT_TRUE(port_->rx().Arm());
  EXPECT_EQ(poll(&ready, 1, 50), 0) << "a sleeping worker would be woken for nothing";
  Ip("link set veth0 up");
  bool passed = false;
  for (int i = 0; i < 100 && !passed; ++i) {
    peer_->Send(NumberedFrame(i, 60));
    passed = !port_->Receive(1, 50ms).empty();
  }
  EXPECT_TRUE(passed);
}

TEST_F(AfPacketRxQueueTest, ADeletedDeviceIsSilentAndReported) {
  peer_->Send(NumberedFrame(1, 60));
  Ip("link del veth0");
  EXPECT_EQ(port_->Receive(1).size(), 1U);
  Batch batch;
  EXPECT_EQ(port_->Receive(batch), RxResult::kDrained);
  EXPECT_TRUE(port_->rx().Arm());
  pollfd ready = {.fd = port_->rx().wait_fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&ready, 1, 50), 0) << "a sleeping worker would be woken for nothing";
  EXPECT_EQ(port_->rx_ledger().errors[ledger::ErrorKind::kLinkDown].Get(), 1U);
  EXPECT_EQ(port_->port().ReadDevice().status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace wakegate
