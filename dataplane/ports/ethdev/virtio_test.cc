// A port on net_vhost and one on net_virtio_user, connected: drivers that have Rx interrupts and
// offloads.
#include <gtest/gtest.h>
#include <poll.h>
#include <rte_cycles.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "dataplane/packet/batch.h"
#include "dataplane/packet/offload.h"
#include "dataplane/ports/ethdev/fixture_for_test.h"
#include "gateway/files/temporary_folder.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::RxCounter;

bool IsReadable(int fd, int timeout_milliseconds = 0) {
  pollfd poll_fd = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&poll_fd, 1, timeout_milliseconds) == 1;
}

// One pair for all tests: to connect takes these drivers a second.
class VirtioTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { pair_ = std::make_unique<Pair>(); }
  static void TearDownTestSuite() { pair_.reset(); }

  struct Pair {
    Pair() {
      vhost.AwaitCarrier();
      virtio.AwaitCarrier();
    }

    const TemporaryFolder folder;  // In a sandbox, process numbers are not unique.
    const std::string socket = folder.path() + "/vhost.sock";
    testing::PoolForTest pool{4095};
    EthdevForTest vhost{"net_vhost0,tso=1,iface=" + socket, pool.get()};
    EthdevForTest virtio{"net_virtio_user0,path=" + socket, pool.get()};
  };
  static inline std::unique_ptr<Pair> pair_;

  testing::PoolForTest& pool_ = pair_->pool;
  EthdevForTest& vhost_ = pair_->vhost;
  EthdevForTest& virtio_ = pair_->virtio;
};

TEST_F(VirtioTest, AWorkerMaySleepOnBoth) {
  EXPECT_EQ(vhost_.port().sleep_obstacle(), "");
  EXPECT_EQ(virtio_.port().sleep_obstacle(), "");
}

TEST_F(VirtioTest, APacketWakesAndSilenceDoesNot) {
  for (const auto& [from, to] : {std::pair(&vhost_, &virtio_), std::pair(&virtio_, &vhost_)}) {
    for (uint32_t i = 0; i < 10; ++i) {
      ASSERT_TRUE(to->rx().Arm()) << i;
      ASSERT_FALSE(IsReadable(to->rx().wait_fd())) << i;
      const std::vector<testing::Bytes> frames = NumberedFrames(1 + i);
      from->Send(frames);
      ASSERT_TRUE(IsReadable(to->rx().wait_fd(), 2000)) << i;
      to->rx().Disarm();
      ASSERT_EQ(to->Receive(frames.size()), frames) << i;
    }
  }
}

TEST_F(VirtioTest, ArmSaysNoBesideAPacketAndLosesNone) {
  const std::vector<testing::Bytes> frames = NumberedFrames(3);
  vhost_.Send(frames);
  const ledger::RxQueueBlock& ledger = virtio_.rx_ledger();
  const uint64_t races = ledger.counters[RxCounter::kArmRaces].Get();
  const uint64_t packets = ledger.counters[RxCounter::kPackets].Get();
  EXPECT_FALSE(virtio_.rx().Arm());
  EXPECT_EQ(ledger.counters[RxCounter::kArmRaces].Get(), races + 1);
  EXPECT_EQ(ledger.counters[RxCounter::kPackets].Get(), packets + 3);
  EXPECT_FALSE(virtio_.rx().Arm()) << "they are still there";
  EXPECT_EQ(virtio_.Receive(3), frames);
}

TEST_F(VirtioTest, WhatWasTakenWhileArmingAndNotReceivedIsDroppedByName) {
  vhost_.Send(NumberedFrames(3));
  EXPECT_FALSE(virtio_.rx().Arm());
  ASSERT_TRUE(virtio_.port().SetAdminUp(false).ok());
  EXPECT_EQ(virtio_.Dropped(DropReason::kPortDown), 3U);
  ASSERT_TRUE(virtio_.port().SetAdminUp(true).ok());
  vhost_.AwaitCarrier();
}

TEST_F(VirtioTest, ArmSaysNoWithoutBuffers) {
  std::vector<rte_mbuf*> all(pool_.available());
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool_.get(), all.data(), all.size()), 0);
  EXPECT_FALSE(virtio_.rx().Arm());
  rte_pktmbuf_free_bulk(all.data(), all.size());
  EXPECT_TRUE(virtio_.rx().Arm());
  virtio_.rx().Disarm();
}

TEST_F(VirtioTest, InterruptsWorkAgainAfterAStop) {
  ASSERT_TRUE(virtio_.rx().Arm());
  ASSERT_TRUE(virtio_.port().SetAdminUp(false).ok());
  EXPECT_TRUE(virtio_.rx().Arm()) << "nothing comes to a port that is down";
  virtio_.rx().Disarm();
  ASSERT_TRUE(virtio_.port().SetAdminUp(true).ok());
  vhost_.AwaitCarrier();
  ASSERT_TRUE(virtio_.rx().Arm());
  vhost_.Send(NumberedFrames(1));
  EXPECT_TRUE(IsReadable(virtio_.rx().wait_fd(), 2000));
  virtio_.rx().Disarm();
  EXPECT_EQ(virtio_.Receive(1), NumberedFrames(1));
}

// One packet at a time towards a receiver that sleeps between packets, on another thread.
TEST_F(VirtioTest, NoWakeupIsLostBetweenTwoThreads) {
  constexpr uint32_t kPackets = 20'000;
  std::atomic<uint32_t> received = 0;
  std::atomic<bool> lost = false;
  std::thread receiver([&] {
    while (received < kPackets && !lost) {
      if (virtio_.rx().Arm()) {
        lost = !IsReadable(virtio_.rx().wait_fd(), /*timeout_milliseconds=*/5'000);
        virtio_.rx().Disarm();
      }
      Batch batch;
      virtio_.rx().Receive(batch);
      received += batch.size();
      rte_pktmbuf_free_bulk(batch.data(), batch.size());
    }
  });
  for (uint32_t sent = 0; sent < kPackets && !lost; ++sent) {
    while (received < sent && !lost) {
    }
    for (uint32_t spin = 0; spin < sent % 257; ++spin) rte_rdtsc();
    vhost_.Send(NumberedFrames(1));
  }
  receiver.join();
  EXPECT_FALSE(lost) << "asleep beside packet " << received;
  virtio_.CountReceivedElsewhere(received);
}

// Whoever receives it may be the one to segment it.
TEST_F(VirtioTest, ALargePacketThatAsksForSegmentationPassesWhole) {
  ASSERT_TRUE(virtio_.port().transmit_capabilities(1500).tcp4_segmentation);
  for (const bool ipv6 : {false, true}) {
    const testing::FrameSpec spec = {
        .ipv6 = ipv6, .partial_checksum = true, .payload = testing::Pattern(30'000)};
    rte_mbuf* packet = testing::MakePacket(pool_.get(), testing::BuildFrame(spec));
    const testing::FrameOffsets offsets = testing::OffsetsOf(spec);
    packet->ol_flags = (ipv6 ? RTE_MBUF_F_TX_IPV6 : RTE_MBUF_F_TX_IPV4) | RTE_MBUF_F_TX_TCP_CKSUM |
                       RTE_MBUF_F_TX_TCP_SEG;
    packet->l2_len = offsets.l3;
    packet->l3_len = offsets.l4 - offsets.l3;
    packet->l4_len = offsets.l4_len;
    packet->tso_segsz = 1400;
    virtio_.Send(packet);
    Batch batch;
    while (batch.empty()) vhost_.rx().Receive(batch);
    ASSERT_EQ(batch.size(), 1U);
    const rte_mbuf& received = *batch[0];
    EXPECT_EQ(testing::BytesOf(received), testing::BuildFrame(spec));
    EXPECT_TRUE(AsksForSegmentation(received));
    EXPECT_EQ(received.tso_segsz, 1400);
    EXPECT_EQ(received.l4_len, offsets.l4_len);
    rte_pktmbuf_free(batch[0]);
    vhost_.CountReceivedElsewhere(1);
  }
}

}  // namespace
}  // namespace wakegate
