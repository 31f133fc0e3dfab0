#include "dataplane/ports/af_xdp/tx_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <rte_cycles.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "dataplane/kernel/xdp_socket.h"
#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/netdev/napi.h"
#include "dataplane/ports/af_xdp/fixture_for_test.h"
#include "dataplane/testing/peer_for_test.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::SystemCall;
using ledger::TxCounter;
using namespace std::chrono_literals;

class AfXdpTxQueueTest : public AfXdpTest {
 protected:
  void SetUp() override {
    AfXdpTest::SetUp();
    OpenPort();
    peer_.emplace("veth1");
  }
  void ExpectPeerReceives(const std::vector<Bytes>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto frame = peer_->Receive();
      ASSERT_TRUE(frame.has_value()) << "frame " << i << " did not come";
      ASSERT_EQ(frame->bytes, frames[i]) << "frame " << i;
    }
  }
  void ExpectPeerReceivesNumbered(uint32_t first, uint32_t count, std::size_t size = 60) {
    std::vector<Bytes> frames;
    for (uint32_t i = 0; i < count; ++i) frames.push_back(NumberedFrame(first + i, size));
    ExpectPeerReceives(frames);
  }
  uint64_t Count(TxCounter counter) { return port_->tx_ledger().counters[counter].Get(); }
  uint64_t Calls() { return port_->tx_ledger().system_calls[SystemCall::kSend].Get(); }
  uint64_t Errors(ErrorKind kind) { return port_->tx_ledger().errors[kind].Get(); }

  std::optional<PeerForTest> peer_;
};

TEST_F(AfXdpTxQueueTest, FramesOfAllSizesLeaveUnchangedAndUncopied) {
  for (std::size_t size = 14; size <= 1514; ++size) {
    SendNumbered(1, 1, size);
    ASSERT_TRUE(port_->Flush());
    ExpectPeerReceivesNumbered(1, 1, size);
  }
  EXPECT_EQ(Count(TxCounter::kCopied), 0U);
}

// mechanisms.md's trap: the kernel sends 32 at a time and then says EAGAIN.
TEST_F(AfXdpTxQueueTest, ABurstThenSilenceAllArrives) {
  for (const uint32_t count : {1, 32, 33, 200, 1000}) {
    SendNumbered(0, count);
    ASSERT_TRUE(port_->Flush());
    ExpectPeerReceivesNumbered(0, count);
  }
  EXPECT_EQ(Held(), 0U);
}

TEST_F(AfXdpTxQueueTest, SendMakesNoSystemCallAndOneKickSendsWhatSeveralBrought) {
  for (uint32_t i = 0; i < 8; ++i) SendNumbered(32 * i, 32);
  EXPECT_EQ(Calls(), 0U);
  EXPECT_EQ(Held(), 256U);
  ASSERT_TRUE(port_->Flush());
  ExpectPeerReceivesNumbered(0, 256);
  // 32 a call before Linux 6.17.
  EXPECT_LE(Calls(), 8U);
  EXPECT_EQ(Count(TxCounter::kKicksSent), Calls());
  EXPECT_EQ(Count(TxCounter::kKicksMerged), 7U);
}

TEST_F(AfXdpTxQueueTest, WhatATurnBringsWaitsForTheNextTurnAndNoLonger) {
  SendNumbered(0, 1);
  const Tsc now = rte_rdtsc();
  EXPECT_EQ(port_->tx().Flush(now).state, TxResult::State::kAt);
  EXPECT_EQ(Calls(), 0U);
  port_->tx().Flush(now + 1);  // Nothing was added.
  EXPECT_EQ(Calls(), 1U);
  ExpectPeerReceivesNumbered(0, 1);
  // Each turn adds: the time is the limit.
  SendNumbered(1, 1);
  port_->tx().Flush(rte_rdtsc());
  SendNumbered(2, 1);
  port_->tx().Flush(rte_rdtsc() + rte_get_tsc_hz() / 1000);
  EXPECT_EQ(Calls(), 2U);
  ExpectPeerReceivesNumbered(1, 2);
}

TEST_F(AfXdpTxQueueTest, BuffersThatTheKernelCannotTakeAreCopiedAndCounted) {
  testing::PoolForTest other(63);
  const Bytes frame = NumberedFrame(5, 400);
  rte_mbuf* foreign = testing::MakePacket(other.get(), frame);
  rte_mbuf* shared = Packet(frame);
  rte_mbuf_refcnt_update(shared, 1);
  rte_mbuf* original = Packet(frame);
  rte_mbuf* indirect = rte_pktmbuf_clone(original, pool_.get());
  rte_mbuf* with_empty_segment = Packet(frame, {100, 0, 300});
  port_->Send({foreign, shared, indirect, with_empty_segment});
  ASSERT_TRUE(port_->Flush());
  ExpectPeerReceives({frame, frame, frame, frame});
  EXPECT_EQ(Count(TxCounter::kCopied), 4U);
  rte_pktmbuf_free(shared);
  rte_pktmbuf_free(original);
}

TEST_F(AfXdpTxQueueTest, ChainsAndJumboFramesLeaveAsTheyAre) {
  Ip("link set veth0 mtu 9000");
  Ip("link set veth1 mtu 9000");
  const Bytes small = NumberedFrame(1, 300);
  const Bytes jumbo = NumberedFrame(2, 9014);
  port_->Send({Packet(small, {14, 86, 200}), Packet(jumbo), Packet(NumberedFrame(3))});
  ASSERT_TRUE(port_->Flush());
  ExpectPeerReceives({small, jumbo, NumberedFrame(3)});
  EXPECT_EQ(Count(TxCounter::kCopied), 0U);
  EXPECT_EQ(Count(TxCounter::kPackets), 3U);
  EXPECT_EQ(Count(TxCounter::kBytes), 300U + 9014 + 60);
}

TEST_F(AfXdpTxQueueTest, AChainOfTooManyBuffersIsCopiedAndOneThatIsTooLongDropped) {
  const Bytes frame = NumberedFrame(1, 1000);
  port_->Send({Packet(frame, std::vector<uint16_t>(25, 40)),
               Packet(NumberedFrame(2, XdpTxRing::kMostBuffers * 2048 + 1))});
  ASSERT_TRUE(port_->Flush());
  ExpectPeerReceives({frame});
  EXPECT_EQ(Count(TxCounter::kCopied), 1U);
  EXPECT_EQ(Drops(DropReason::kTooLong), 1U);
}

TEST_F(AfXdpTxQueueTest, RuntsAreDroppedByNameAndTheNextFrameLeavesAtOnce) {
  for (std::size_t size = 0; size < 14; ++size) {
    port_->Send({Packet(testing::Pattern(size)), Packet(NumberedFrame(1))});
    ASSERT_TRUE(port_->Flush()) << size;
    ExpectPeerReceivesNumbered(1, 1);
  }
  EXPECT_EQ(Drops(DropReason::kRunt) + Drops(DropReason::kDeviceRefused), 14U);
}

TEST_F(AfXdpTxQueueTest, WhileThePeerIsDownFramesAreDroppedByNameAndSentOnceItIsUp) {
  Ip("link set veth1 down");
  SendNumbered(0, 200);
  ASSERT_TRUE(port_->Flush());
  EXPECT_EQ(Drops(DropReason::kDeviceRefused), 200U);
  EXPECT_GE(Errors(ErrorKind::kBusy), 200U);
  EXPECT_EQ(Sent(), 0U);
  Ip("link set veth1 up");
  peer_.emplace("veth1");  // The old one has an error to tell first.
  SendNumbered(200, 10);
  ASSERT_TRUE(port_->Flush());
  ExpectPeerReceivesNumbered(200, 10);
}

TEST_F(AfXdpTxQueueTest, WhileTheDeviceIsDownTheRingIsHeldAndWhatComesAfterIsDroppedByName) {
  Ip("link set veth0 down");
  SendNumbered(0, 10);
  EXPECT_FALSE(port_->Flush(20ms));
  EXPECT_EQ(Held(), 10U);
  const uint64_t calls = Calls();
  EXPECT_LT(calls, 12U) << "the pauses grow";
  SendNumbered(10, 5);
  EXPECT_EQ(Drops(DropReason::kLinkDown), 5U);
  Ip("link set veth0 up");
  EXPECT_TRUE(port_->Flush());
  ExpectPeerReceivesNumbered(0, 10);
  SendNumbered(20, 1);
  ASSERT_TRUE(port_->Flush());
  ExpectPeerReceivesNumbered(20, 1);
}

TEST_F(AfXdpTxQueueTest, WithTheDeviceDeletedWhatIsHeldAndWhatComesIsDroppedAsPortDown) {
  SendNumbered(0, 10);
  Ip("link del veth0");
  EXPECT_TRUE(port_->Flush());
  SendNumbered(10, 5);
  EXPECT_EQ(Drops(DropReason::kPortDown), 15U);
  EXPECT_EQ(Errors(ErrorKind::kDeviceGone), 1U);
  EXPECT_EQ(port_->tx().Flush(rte_rdtsc()).state, TxResult::State::kIdle);
}

TEST_F(AfXdpTxQueueTest, BeyondRingAndBacklogPacketsAreDroppedByName) {
  Ip("link set veth0 down");
  // The kernel is asked only when there is no room left, and says that the link is down.
  SendNumbered(0, 64);
  EXPECT_EQ(Held(), 64U);
  SendNumbered(64, 1024 + 256 - 64);
  EXPECT_EQ(Held(), 1024U + 256);
  SendNumbered(2000, 10);
  EXPECT_EQ(Drops(DropReason::kLinkDown) + Drops(DropReason::kBacklogFull), 256U + 10);
  EXPECT_EQ(Held(), 1024U);
}

TEST_F(AfXdpTxQueueTest, WhatIsHeldWhenThePortIsClosedIsDroppedByName) {
  Ip("link set veth0 down");
  SendNumbered(0, 100);
  port_->Flush(5ms);
  const auto start = std::chrono::steady_clock::now();
  port_->Close();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
  EXPECT_EQ(Drops(DropReason::kPortRemoved), 100U);
}

// The kernel takes 32 packets with each call, as it does before Linux 6.17.
class AfXdpTxContinueTest : public AfXdpTxQueueTest {
 protected:
  void SetUp() override {
    AfXdpTxQueueTest::SetUp();
    const uint32_t budget = 32;
    setsockopt(port_->tx().wait_fd(), SOL_XDP, XDP_MAX_TX_SKB_BUDGET, &budget, sizeof(budget));
  }
  void Continue(TxContinue when) { port_->port().Tune(0, {.tx_continue = when}); }
  void Send(uint32_t first, uint32_t count) {
    SendNumbered(first, count);
    sent_at_ = rte_rdtsc();
  }
  // After the last Send.
  void FlushAfter(uint64_t microseconds) {
    port_->tx().Flush(sent_at_ + rte_get_tsc_hz() / 1'000'000 * microseconds);
  }

 private:
  Tsc sent_at_ = 0;
};

TEST_F(AfXdpTxContinueTest, AtOnceTheKernelIsAskedInOneTurnUntilItHasAll) {
  Continue(TxContinue::kAtOnce);
  Send(0, 300);
  FlushAfter(1);
  EXPECT_EQ(Held(), 0U);
  EXPECT_GE(Calls(), 300U / 32) << "it takes a part with each call";
  ExpectPeerReceivesNumbered(0, 300);
}

TEST_F(AfXdpTxContinueTest, OnCompletionItIsAskedOnceInEachTurnInWhichBuffersHaveComeBack) {
  Continue(TxContinue::kOnCompletion);
  Send(0, 300);
  for (uint32_t turn = 1; turn <= 300 / 32; ++turn) {
    FlushAfter(turn);
    EXPECT_EQ(Calls(), turn);
    EXPECT_EQ(Held(), 300 - 32 * turn);
  }
  ASSERT_TRUE(port_->Flush());
  EXPECT_EQ(Count(TxCounter::kKicksForced), 0U);
  ExpectPeerReceivesNumbered(0, 300);
}

// The buffers of what is sent come back after half a second: so long it lies at the peer.
class AfXdpTxLateBuffersTest : public AfXdpTxContinueTest {
 protected:
  void SetUp() override {
    AfXdpTxContinueTest::SetUp();
    // A sender that segments is thought to have nothing that could be merged (veth_xmit).
    ASSERT_EQ(std::system("/usr/sbin/ethtool -K veth1 gro on; /usr/sbin/ethtool -K veth0 tso off"),
              0);
    const auto napis = ListNapis(static_cast<int>(if_nametoindex("veth1")));
    ASSERT_TRUE(napis.ok() && napis->size() == 1);
    const absl::Status status =
        SetNapiDeferral(napis->front().id, {.hard_irqs = 1000, .flush_timeout = 500ms});
    if (!status.ok()) GTEST_SKIP() << status.message();
    Send(1000, 1);  // The first one is not kept.
    port_->Flush();
    ExpectPeerReceivesNumbered(1000, 1);
    calls_before_ = Calls();
    Continue(TxContinue::kOnCompletion);
  }
  uint64_t CallsSince() { return Calls() - calls_before_; }

 private:
  uint64_t calls_before_ = 0;
};

TEST_F(AfXdpTxLateBuffersTest, TheKernelIsNotAskedBeforeBuffersHaveComeBack) {
  Send(0, 64);
  for (uint64_t time = 20; time < 900; time += 10) FlushAfter(time);
  EXPECT_EQ(CallsSince(), 1U);
  EXPECT_EQ(Held(), 32U);
  ExpectPeerReceivesNumbered(0, 32);
  FlushAfter(900);
  EXPECT_EQ(CallsSince(), 2U);
  EXPECT_EQ(Held(), 0U);
  EXPECT_EQ(Count(TxCounter::kKicksForced), 0U);
  ExpectPeerReceivesNumbered(32, 32);
}

TEST_F(AfXdpTxLateBuffersTest, BuffersThatDoNotComeBackStopNothingForLong) {
  Send(0, 64);
  FlushAfter(20);
  FlushAfter(900);
  EXPECT_EQ(Held(), 32U);
  FlushAfter(1100);
  EXPECT_EQ(CallsSince(), 2U);
  EXPECT_EQ(Held(), 0U);
  EXPECT_EQ(Count(TxCounter::kKicksForced), 1U);
  ExpectPeerReceivesNumbered(0, 64);
}

TEST_F(AfXdpTxLateBuffersTest, NewPacketsDoNotWaitForTheBuffersOfOnesThatWereTakenWhole) {
  for (const uint32_t first : {0, 10}) {
    Send(first, 10);
    FlushAfter(20);
    EXPECT_EQ(Held(), 0U);
  }
  EXPECT_EQ(CallsSince(), 2U);
  ExpectPeerReceivesNumbered(0, 20);
}

}  // namespace
}  // namespace wakegate
