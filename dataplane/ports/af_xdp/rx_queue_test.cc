#include "dataplane/ports/af_xdp/rx_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cstring>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/packet/offload.h"
#include "dataplane/ports/af_xdp/fixture_for_test.h"

namespace wakegate {
namespace {

using ledger::RxCounter;
using ledger::RxLevel;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

class AfXdpRxQueueTest : public AfXdpPeerTest {
 protected:
  bool IsReady() { return port_->rx().ready_word()->IsReady(); }
};

TEST_F(AfXdpRxQueueTest, FramesOfAllSizesArriveInBuffersOfThePoolWithTheKernelsHeadroom) {
  for (std::size_t size = 14; size <= 1514; ++size) {
    peer_->Send(NumberedFrame(1, size));
    const std::size_t received = port_->ReceiveEach(1, 2s, 0, [&](rte_mbuf& packet) {
      EXPECT_EQ(packet.pool, pool_.get());
      EXPECT_EQ(packet.nb_segs, 1U);
      EXPECT_EQ(packet.data_off, 256U);
      EXPECT_EQ(packet.ol_flags, 0U);
      EXPECT_EQ(testing::BytesOf(packet), NumberedFrame(1, size));
    });
    ASSERT_EQ(received, 1U) << size;
  }
}

TEST_F(AfXdpRxQueueTest, AnIdleQueueMakesNoSystemCallAndABusyOneNeither) {
  EXPECT_FALSE(IsReady());
  for (uint32_t i = 0; i < 200; ++i) peer_->Send(NumberedFrame(i));
  EXPECT_TRUE(IsReady());
  const std::vector<Bytes> frames = port_->Receive(200);
  ASSERT_EQ(frames.size(), 200U);
  for (uint32_t i = 0; i < 200; ++i) ASSERT_EQ(frames[i], NumberedFrame(i)) << i;
  EXPECT_FALSE(IsReady());
  for (const ledger::Counter& calls : port_->rx_ledger().system_calls.cells) {
    EXPECT_EQ(calls.Get(), 0U);
  }
}

TEST_F(AfXdpRxQueueTest, APacketThatComesAfterArmingMakesTheFileReadable) {
  ASSERT_TRUE(port_->rx().Arm());
  pollfd wait = {.fd = port_->rx().wait_fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&wait, 1, 0), 0);
  peer_->Send(NumberedFrame(1));
  EXPECT_EQ(poll(&wait, 1, 2000), 1);
  EXPECT_FALSE(port_->rx().Arm()) << "a packet waits";
  EXPECT_EQ(Count(RxCounter::kArmRaces), 1U);
  EXPECT_THAT(port_->Receive(1), ElementsAre(NumberedFrame(1)));
  EXPECT_TRUE(port_->rx().Arm());
}

// More than the kernel has buffers for, so that each is used many times.
TEST_F(AfXdpRxQueueTest, TensOfThousandsOfFramesPassInOrder) {
  constexpr uint32_t kBurst = 500;
  for (uint32_t first = 0; first < 40 * kBurst; first += kBurst) {
    for (uint32_t i = 0; i < kBurst; ++i) {
      peer_->Send(NumberedFrame(first + i, 60 + (first + i) % 1400));
    }
    const std::vector<Bytes> frames = port_->Receive(kBurst);
    ASSERT_EQ(frames.size(), kBurst);
    for (uint32_t i = 0; i < kBurst; ++i) {
      ASSERT_EQ(frames[i], NumberedFrame(first + i, 60 + (first + i) % 1400)) << first + i;
    }
  }
  EXPECT_EQ(port_->port().ReadKernelCounters().socket_dropped, 0U);
}

TEST_F(AfXdpRxQueueTest, JumboFramesComeInSeveralBuffers) {
  Ip("link set veth0 mtu 9000");
  Ip("link set veth1 mtu 9000");
  for (const std::size_t size : {1900, 1920, 1921, 3840, 3841, 9014}) {
    peer_->Send(NumberedFrame(7, size));
    peer_->Send(NumberedFrame(8));
    EXPECT_THAT(port_->Receive(2), ElementsAre(NumberedFrame(7, size), NumberedFrame(8))) << size;
  }
}

TEST_F(AfXdpRxQueueTest, PartialChecksumsAreFoundAndAskedFor) {
  for (const bool ipv6 : {false, true}) {
    for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
      for (const bool tagged : {false, true}) {
        testing::FrameSpec spec = {.ipv6 = ipv6,
                                   .protocol = protocol,
                                   .partial_checksum = true,
                                   .payload = testing::Pattern(100)};
        if (tagged) spec.tags = {{0x8100, 100}};
        const Bytes frame = testing::BuildFrame(spec);
        peer_->Send(frame, testing::VirtioNetHeaderOf(spec));
        EXPECT_EQ(port_->ReceiveEach(1, 2s, 0,
                                     [&](rte_mbuf& packet) {
                                       EXPECT_TRUE(HasOffload(packet));
                                       EXPECT_EQ(packet.l2_len, tagged ? 18U : 14U);
                                       EXPECT_EQ(testing::BytesOf(packet), frame);
                                     }),
                  1U);
        spec.partial_checksum = false;
        peer_->Send(testing::BuildFrame(spec));
        EXPECT_EQ(port_->ReceiveEach(1, 2s, 0,
                                     [](rte_mbuf& packet) { EXPECT_FALSE(HasOffload(packet)); }),
                  1U);
      }
    }
  }
}

// The kernel drops what finds no buffer. Once there are buffers it gets some, without a packet that
// would tell of it.
TEST_F(AfXdpRxQueueTest, AfterTheBuffersWereExhaustedPacketsArriveAgain) {
  std::vector<rte_mbuf*> hoard;
  while (rte_mbuf* buffer = rte_pktmbuf_alloc(pool_.get())) hoard.push_back(buffer);
  for (uint32_t i = 0; i < 2000; ++i) {
    peer_->Send(NumberedFrame(i));
    if (i % 50 != 49) continue;
    Batch batch;
    port_->rx().Receive(batch);
    hoard.insert(hoard.end(), batch.packets().begin(), batch.packets().end());
    port_->CountReceived(batch.size());
  }
  EXPECT_GT(port_->port().ReadKernelCounters().xdp_rx_dropped, 0U);
  EXPECT_GT(port_->port().ReadKernelCounters().xdp_fill_ring_empty, 0U);
  EXPECT_TRUE(IsReady()) << "it is looked into, to lend buffers";
  Batch none;
  EXPECT_EQ(port_->rx().Receive(none), RxResult::kRetryLater) << "nobody would wake the worker";
  rte_pktmbuf_free_bulk(hoard.data(), static_cast<unsigned>(hoard.size()));
  port_->rx().Receive(none);
  EXPECT_GT(port_->rx_ledger().levels[RxLevel::kLentBuffers].Get(), 512U);
  EXPECT_FALSE(IsReady());
  peer_->Send(NumberedFrame(3));
  EXPECT_THAT(port_->Receive(1), ElementsAre(NumberedFrame(3)));
}

}  // namespace
}  // namespace wakegate
