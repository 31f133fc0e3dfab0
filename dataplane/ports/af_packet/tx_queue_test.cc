#include "dataplane/ports/af_packet/tx_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <rte_cycles.h>

#include <cstring>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/packet/virtio_net_header.h"
#include "dataplane/ports/af_packet/fixture_for_test.h"
#include "dataplane/testing/peer_for_test.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::FlushCause;
using ledger::SystemCall;
using ledger::TxCounter;
using ledger::TxLevel;
using ::testing::ElementsAre;
using testing::FrameSpec;
using testing::MakePacket;
using testing::Pattern;
using namespace std::chrono_literals;

class AfPacketTxQueueTest : public AfPacketTest {
 protected:
  void SetUp() override {
    AfPacketTest::SetUp();
    Open();
    peer_ = std::make_unique<PeerForTest>("veth1");
  }
  void TearDown() override { port_->Close(); }
  void Open(uint32_t tx_ring_frames = 1024) {
    port_ = std::make_unique<PortForTest>("veth0", pool_.get(), 64, tx_ring_frames);
  }

  rte_mbuf* Packet(const Bytes& bytes, const std::vector<uint16_t>& sizes = {}) {
    return MakePacket(pool_.get(), bytes, sizes);
  }
  rte_mbuf* Packet(const FrameSpec& spec, uint16_t gso_size = 0) {
    rte_mbuf* packet = Packet(testing::BuildFrame(spec));
    EXPECT_TRUE(ApplyVirtioNetHeader(testing::VirtioNetHeaderOf(spec, gso_size), *packet));
    return packet;
  }
  void SendNumbered(uint32_t first, uint32_t count, std::size_t size = 60) {
    std::vector<rte_mbuf*> packets;
    for (uint32_t i = 0; i < count; ++i) packets.push_back(Packet(NumberedFrame(first + i, size)));
    port_->Send(packets);
  }
  // A shaper holds the frames that are sent, and with them their places in the ring.
  void SlowDown() {
    ASSERT_EQ(
        std::system("/sbin/tc qdisc add dev veth0 root tbf rate 20mbit burst 2000 limit 10mb"), 0);
  }
  // What the peer gets, until nothing comes for a moment.
  std::vector<Bytes> PeerReceives() {
    std::vector<Bytes> frames;
    while (auto frame = peer_->Receive(100ms)) frames.push_back(std::move(frame->bytes));
    return frames;
  }
  void ExpectPeerReceivesNumbered(uint32_t first, uint32_t count, std::size_t size = 60) {
    for (uint32_t i = first; i < first + count; ++i) {
      const auto frame = peer_->Receive();
      ASSERT_TRUE(frame.has_value()) << "frame " << i << " did not come";
      ASSERT_EQ(frame->bytes, NumberedFrame(i, size)) << "frame " << i;
    }
  }
  // Some of what was sent, in its order.
  void ExpectPeerReceivesInOrder(uint64_t count, std::size_t size) {
    int64_t last = -1;
    for (uint64_t i = 0; i < count; ++i) {
      const auto frame = peer_->Receive();
      ASSERT_TRUE(frame.has_value()) << i << " of " << count << " came";
      uint32_t number = 0;
      std::memcpy(&number, frame->bytes.data() + 14, sizeof(number));
      ASSERT_EQ(frame->bytes, NumberedFrame(number, size));
      ASSERT_GT(number, last);
      last = number;
    }
  }
  // Resends until a packet passes, as after a link came up.
  bool RecoversWithin(std::chrono::seconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      SendNumbered(1'000'000, 1);
      EXPECT_TRUE(port_->Flush());
      if (peer_->Receive(20ms)) return true;
    }
    return false;
  }
  uint64_t Drops(DropReason reason) { return port_->tx_ledger().drops[reason].Get(); }
  uint64_t Held() { return port_->tx_ledger().levels[TxLevel::kHeld].Get(); }
  uint64_t Sent() { return port_->tx_ledger().counters[TxCounter::kPackets].Get(); }

  std::unique_ptr<PortForTest> port_;
  std::unique_ptr<PeerForTest> peer_;
};

TEST_F(AfPacketTxQueueTest, FramesOfAnySizeLeaveUnchangedAndInOrder) {
  std::vector<Bytes> sent;
  for (uint32_t i = 0; i < 1501; ++i) {
    sent.push_back(NumberedFrame(i, 14 + i));
    port_->Send({Packet(sent.back())});
    if (i % 50 == 0) {
      EXPECT_TRUE(port_->Flush());
    }
  }
  EXPECT_TRUE(port_->Flush());
  EXPECT_EQ(PeerReceives(), sent);
}

TEST_F(AfPacketTxQueueTest, ChainsOfAnyShapeLeaveWhole) {
  const Bytes frame = NumberedFrame(1, 1514);
  port_->Send({Packet(frame, {1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 700})});
  EXPECT_TRUE(port_->Flush());
  EXPECT_THAT(PeerReceives(), ElementsAre(frame));
}

TEST_F(AfPacketTxQueueTest, ManyBurstsLeaveWithOneSystemCall) {
  for (uint32_t burst = 0; burst < 4; ++burst) SendNumbered(burst * kMaxBurst, kMaxBurst);
  EXPECT_EQ(port_->tx_ledger().system_calls[SystemCall::kSend].Get(), 0U);
  EXPECT_EQ(Held(), 4U * kMaxBurst);
  EXPECT_EQ(port_->tx().Flush(rte_rdtsc()).state, TxResult::State::kIdle);
  EXPECT_EQ(port_->tx_ledger().system_calls[SystemCall::kSend].Get(), 1U);
  EXPECT_EQ(port_->tx_ledger().counters[TxCounter::kKicksMerged].Get(), 3U);
  EXPECT_EQ(Held(), 0U);
  ExpectPeerReceivesNumbered(0, 4 * kMaxBurst);
  EXPECT_EQ(port_->tx().Flush(rte_rdtsc()).state, TxResult::State::kIdle);
  EXPECT_EQ(port_->tx_ledger().system_calls[SystemCall::kSend].Get(), 1U);
}

TEST_F(AfPacketTxQueueTest, VlanTagsAndPartialChecksumsLeaveAsTheyAre) {
  Ip("link set veth0 mtu 1508");
  Ip("link set veth1 mtu 1508");
  for (const FrameSpec& spec : SpecsWithPartialChecksum(1400)) {
    port_->Send({Packet(spec)});
    EXPECT_TRUE(port_->Flush());
    const auto frame = peer_->Receive();
    ASSERT_TRUE(frame.has_value());
    EXPECT_EQ(frame->bytes, testing::BuildFrame(spec));
    EXPECT_EQ(frame->offload.flags, VIRTIO_NET_HDR_F_NEEDS_CSUM);
  }
}

TEST_F(AfPacketTxQueueTest, SuperFramesLeaveWhole) {
  for (const FrameSpec& spec : SpecsWithPartialChecksum(65'000)) {
    port_->Send({Packet(spec, 1400)});
    EXPECT_TRUE(port_->Flush());
    const auto frame = peer_->Receive();
    ASSERT_TRUE(frame.has_value());
    EXPECT_EQ(frame->bytes, testing::BuildFrame(spec));
    EXPECT_EQ(frame->offload.gso_size, 1400);
  }
}

TEST_F(AfPacketTxQueueTest, LargeAndSmallFramesKeepTheirOrder) {
  Ip("link set veth0 mtu 9000");
  Ip("link set veth1 mtu 9000");
  std::vector<Bytes> sent;
  for (uint32_t i = 0; i < 300; ++i) {
    FrameSpec super = {.tcp_sequence = i, .partial_checksum = true, .payload = Pattern(20'000)};
    if (i % 5 == 4) {
      port_->Send({Packet(super, 1400)});
      sent.push_back(testing::BuildFrame(super));
    } else {
      sent.push_back(NumberedFrame(i, i % 5 == 2 ? 9014 : 60));
      port_->Send({Packet(sent.back())});
    }
    if (i % 40 == 39) {
      EXPECT_TRUE(port_->Flush());
    }
  }
  EXPECT_TRUE(port_->Flush());
  EXPECT_EQ(PeerReceives(), sent);
}

TEST_F(AfPacketTxQueueTest, WhatTheKernelFindsMalformedIsDroppedAloneByName) {
  const FrameSpec kSuper = {.partial_checksum = true, .payload = Pattern(5000)};
  rte_mbuf* bad_checksum = Packet(FrameSpec{.partial_checksum = true});
  bad_checksum->l3_len = 400;
  rte_mbuf* bad_super_frame = Packet(kSuper, 1400);
  bad_super_frame->l3_len = 0;
  bad_super_frame->l2_len = 2;
  port_->Send({Packet(NumberedFrame(0, 60)), Packet(Bytes(0)), Packet(NumberedFrame(1, 60)),
               Packet(Bytes(13)), Packet(NumberedFrame(2, 60)), bad_checksum,
               Packet(NumberedFrame(3, 60)), bad_super_frame, Packet(NumberedFrame(4, 60))});
  EXPECT_TRUE(port_->Flush());
  ExpectPeerReceivesNumbered(0, 5);
  EXPECT_EQ(Drops(DropReason::kDeviceRefused), 4U);
  EXPECT_EQ(Sent(), 5U);
}

// The peer's device drops what is longer than its MTU and says no more than that it did.
TEST_F(AfPacketTxQueueTest, FramesThatThePeerCannotTakeDoNotHoldUpTheOthers) {
  Ip("link set veth0 mtu 9000");
  Ip("link set veth1 mtu 1000");
  const auto start = std::chrono::steady_clock::now();
  std::vector<Bytes> good;
  for (uint32_t i = 0; i < 1000; ++i) {
    const std::size_t size = i % 4 == 1 ? 1900 : i % 4 == 2 ? 5000 : 60;
    if (size == 60) good.push_back(NumberedFrame(i, size));
    port_->Send({Packet(NumberedFrame(i, size))});
    if (i % 32 == 31) {
      EXPECT_TRUE(port_->Flush());
    }
  }
  EXPECT_TRUE(port_->Flush());
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
  EXPECT_EQ(PeerReceives(), good);
  EXPECT_EQ(Drops(DropReason::kDeviceRefused), 500U);
  EXPECT_LE(port_->tx_ledger().counters[TxCounter::kRetries].Get(), 40U);
}

TEST_F(AfPacketTxQueueTest, AnOverfilledRingKeepsTheOrderAndDrainsToEmpty) {
  SlowDown();
  Open(64);
  uint32_t number = 0;
  // More than the ring takes; from the 17th full burst on also more than the backlog.
  for (int burst = 0; burst < 20; ++burst) {
    SendNumbered(number, 16, 1000);
    number += 16;
    port_->tx().Flush(rte_rdtsc());
  }
  EXPECT_GT(Held(), 0U);
  const uint64_t dropped = Drops(DropReason::kBacklogFull);
  EXPECT_TRUE(port_->Flush());
  EXPECT_EQ(Held(), 0U);
  EXPECT_EQ(Sent() + dropped, number);
  ExpectPeerReceivesInOrder(Sent(), 1000);
}

TEST_F(AfPacketTxQueueTest, WhatTheBacklogHasNoRoomForIsDroppedByName) {
  SlowDown();
  Open(64);
  SendNumbered(0, 1000, 1000);
  EXPECT_LE(Held(), 64 + Backlog::kPackets);
  EXPECT_EQ(Held() + Sent() + Drops(DropReason::kBacklogFull), 1000U);
  EXPECT_LE(port_->tx_ledger().flushes[FlushCause::kFull].Get(), 1000U / kMaxBurst + 1)
      << "more than one attempt in a Send";
  EXPECT_TRUE(port_->Flush());
  ExpectPeerReceivesInOrder(Sent(), 1000);
}

TEST_F(AfPacketTxQueueTest, RoomIsHeardWhereTheQueueWasBlocked) {
  SlowDown();
  Open(64);
  SendNumbered(0, 200, 1000);
  ASSERT_EQ(port_->tx().Flush(rte_rdtsc()).state, TxResult::State::kBlocked);
  int sleeps = 0;
  while (port_->tx().Flush(rte_rdtsc()).state == TxResult::State::kBlocked) {
    ASSERT_TRUE(port_->tx().Arm());
    pollfd ready = {.fd = port_->tx().wait_fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&ready, 1, 2000), 1);
    port_->tx().Disarm();
    EXPECT_EQ(poll(&ready, 1, 0), 0);
    ++sleeps;
  }
  EXPECT_TRUE(port_->Flush());
  EXPECT_GT(sleeps, 1);
  EXPECT_LT(sleeps, 100) << "woken without room";
  ExpectPeerReceivesNumbered(0, 200, 1000);
}

TEST_F(AfPacketTxQueueTest, WhatWaitsWhenTheLinkGoesDownIsDroppedByNameAndTxRecovers) {
  for (int outage = 0; outage < 3; ++outage) {
    SendNumbered(0, 10);
    const FrameSpec kSuper = {.partial_checksum = true, .payload = Pattern(5000)};
    port_->Send({Packet(kSuper, 1400), Packet(NumberedFrame(10, 60))});
    Ip("link set veth0 down");
    EXPECT_TRUE(port_->Flush());
    EXPECT_EQ(Held(), 0U);
    for (int i = 0; i < 2000; ++i) {  // More than the ring holds.
      SendNumbered(20, 1);
      EXPECT_TRUE(port_->Flush());
    }
    EXPECT_EQ(Drops(DropReason::kLinkDown), (outage + 1) * 2012U);
    Ip("link set veth0 up");
    EXPECT_TRUE(RecoversWithin(5s));
  }
}

TEST_F(AfPacketTxQueueTest, APeerThatIsDownCostsABoundedNumberOfCallsAndTxRecovers) {
  Ip("link set veth1 down");
  const uint64_t calls = port_->tx_ledger().system_calls[SystemCall::kSend].Get();
  for (uint32_t i = 0; i < 50; ++i) {
    SendNumbered(0, 20);
    EXPECT_TRUE(port_->Flush());
  }
  EXPECT_LE(port_->tx_ledger().system_calls[SystemCall::kSend].Get() - calls, 1100U);
  Ip("link set veth1 up");
  EXPECT_TRUE(RecoversWithin(5s));
}

TEST_F(AfPacketTxQueueTest, WhatWaitsWhenTheDeviceIsDeletedIsDroppedByName) {
  SendNumbered(0, 10);
  Ip("link del veth0");
  EXPECT_TRUE(port_->Flush());
  SendNumbered(0, 5);
  port_->Send({Packet(FrameSpec{.partial_checksum = true, .payload = Pattern(5000)}, 1400)});
  EXPECT_TRUE(port_->Flush());
  EXPECT_EQ(Drops(DropReason::kPortDown), 16U);
  EXPECT_EQ(Sent(), 0U);
  EXPECT_GE(port_->tx_ledger().errors[ErrorKind::kDeviceGone].Get(), 2U);
}

TEST_F(AfPacketTxQueueTest, DropHeldTakesBackAllThatWaitsAndTheRingGoesOn) {
  SendNumbered(0, 10);
  port_->Send({Packet(FrameSpec{.partial_checksum = true, .payload = Pattern(5000)}, 1400)});
  port_->tx().DropHeld(DropReason::kPortDown);
  EXPECT_EQ(Held(), 0U);
  EXPECT_EQ(Drops(DropReason::kPortDown), 11U);
  SendNumbered(100, 2000);
  EXPECT_TRUE(port_->Flush());
  ExpectPeerReceivesNumbered(100, 2000);
}

TEST_F(AfPacketTxQueueTest, AClosedPortHoldsNothing) {
  SendNumbered(0, 10);
  port_->Close();
  EXPECT_EQ(Drops(DropReason::kPortRemoved), 10U);
  EXPECT_TRUE(PeerReceives().empty());
  Open();
}

}  // namespace
}  // namespace wakegate
