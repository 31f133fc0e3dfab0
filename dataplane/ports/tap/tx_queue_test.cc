#include "dataplane/ports/tap/tx_queue.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_tun.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/packet/virtio_net_header.h"
#include "dataplane/ports/tap/tap_for_test.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::SystemCall;
using ledger::TxCounter;
using ledger::TxLevel;
using testing::BuildFrame;
using testing::Bytes;
using testing::FrameSpec;
using testing::Pattern;

class TapTxQueueTest : public TapTest, public ::testing::WithParamInterface<bool> {
 protected:
  const ScopedCallRing ring_{GetParam()};
  const ledger::TxQueueBlock& ledger() const { return *tx_[0]; }
  uint64_t Count(TxCounter counter) const { return ledger().counters[counter].Get(); }
  uint64_t Held() const { return ledger().levels[TxLevel::kHeld].Get(); }
  uint64_t Dropped(DropReason reason) const { return ledger().drops[reason].Get(); }
  uint64_t Writes() const { return ledger().system_calls[SystemCall::kWrite].Get(); }
  // That sent something.
  uint64_t Calls() const {
    return Writes() + ledger().system_calls[SystemCall::kIoUringEnter].Get();
  }
  TxResult::State Flush() { return port_->tx_queues()[0].Flush(1).state; }
};

TEST_P(TapTxQueueTest, FramesOfAllLengthsArriveInOrderAndUnchanged) {
  Open();
  PeerForTest host("tap0");
  std::vector<Bytes> sent;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < 50; ++i) {
    sent.push_back(Frame(14 + i * 30, i));
    bytes += sent.back().size();
  }
  Send(sent);
  for (const Bytes& frame : sent) {
    const std::optional<PeerForTest::Frame> received = host.Receive();
    ASSERT_TRUE(received.has_value());
    EXPECT_EQ(received->bytes, frame);
  }
  EXPECT_EQ(Flush(), TxResult::State::kIdle);
  EXPECT_EQ(Count(TxCounter::kPackets), sent.size());
  EXPECT_EQ(Count(TxCounter::kBytes), bytes);
  EXPECT_EQ(Calls(), GetParam() ? 1 : sent.size());
  EXPECT_EQ(ledger().batch_size.sum.Get(), sent.size());
}

TEST_P(TapTxQueueTest, AChainToSegmentReachesTheHostWhole) {
  Open();
  PeerForTest host("tap0");
  const FrameSpec spec = {.partial_checksum = true, .payload = Pattern(65480)};
  const Bytes frame = BuildFrame(spec);
  const uint16_t odd_sizes[] = {3, 0, 40, 1};
  rte_mbuf* packet = testing::MakePacket(pool_.get(), frame, odd_sizes);
  ASSERT_TRUE(ApplyVirtioNetHeader(VirtioNetHeaderOf(spec, 1400), *packet));
  Batch batch;
  batch.Append(packet);
  port_->tx_queues()[0].Send(batch, 0);
  const std::optional<PeerForTest::Frame> received = host.Receive();
  ASSERT_TRUE(received.has_value());
  EXPECT_EQ(received->bytes, frame);
  EXPECT_EQ(received->offload.gso_type, VIRTIO_NET_HDR_GSO_TCPV4);
  EXPECT_EQ(received->offload.gso_size, 1400);
  EXPECT_EQ(Count(TxCounter::kPackets), 1U);
  EXPECT_EQ(Count(TxCounter::kBytes), frame.size());
}

// Somebody else may read the bytes before those of the packet.
TEST_P(TapTxQueueTest, ABufferThatOthersHoldTooIsLeftAsItIs) {
  Open();
  PeerForTest host("tap0");
  Batch batch;
  std::vector<rte_mbuf*> shared;
  for (uint32_t i = 0; i < 3; ++i) {
    rte_mbuf* packet = shared.emplace_back(testing::MakePacket(pool_.get(), Frame(60, i)));
    std::memset(packet->buf_addr, 0x5a, rte_pktmbuf_headroom(packet));
    rte_mbuf_refcnt_update(packet, 1);
    batch.Append(packet);
  }
  port_->tx_queues()[0].Send(batch, 0);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(host.Receive()->bytes, Frame(60, i));
  for (rte_mbuf* packet : shared) {
    const auto* start = static_cast<const uint8_t*>(packet->buf_addr);
    EXPECT_EQ(std::count(start, start + rte_pktmbuf_headroom(packet), 0x5a),
              rte_pktmbuf_headroom(packet));
    rte_pktmbuf_free(packet);
  }
}

TEST_P(TapTxQueueTest, AChainAmongOthersKeepsItsPlace) {
  Open();
  PeerForTest host("tap0");
  Batch batch;
  std::vector<Bytes> sent;
  for (uint32_t i = 0; i < 6; ++i) {
    sent.push_back(Frame(100, i));
    rte_mbuf* packet = testing::MakePacket(pool_.get(), sent.back());
    if (i == 3) {
      sent.back().resize(60);
      rte_pktmbuf_trim(packet, 80);
      rte_mbuf* tail =
          testing::MakePacket(pool_.get(), Bytes(sent.back().begin() + 20, sent.back().end()));
      ASSERT_EQ(rte_pktmbuf_chain(packet, tail), 0);
    }
    batch.Append(packet);
  }
  port_->tx_queues()[0].Send(batch, 0);
  for (const Bytes& frame : sent) EXPECT_EQ(host.Receive()->bytes, frame);
  EXPECT_EQ(Calls(), GetParam() ? 3U : 6U);
}

TEST_P(TapTxQueueTest, AChainOfMorePartsThanAWriteTakesIsRefusedByName) {
  Open();
  PeerForTest host("tap0");
  Batch batch;
  for (const std::size_t parts : {1023, 1024}) {
    const std::vector<uint16_t> one_byte_each(parts - 1, 1);
    batch.Append(testing::MakePacket(pool_.get(), Frame(parts), one_byte_each));
    port_->tx_queues()[0].Send(batch, 0);
  }
  EXPECT_EQ(host.Receive()->bytes, Frame(1023));
  EXPECT_EQ(Dropped(DropReason::kDeviceRefused), 1U);
  ExpectSentBooksBalance(2);
}

TEST_P(TapTxQueueTest, APartialChecksumIsGoodToTheHostsStack) {
  Open();
  Ip("link set tap0 address 02:00:00:00:00:02");
  Ip("address add 10.0.0.2/24 dev tap0");
  const FileDescriptor udp(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in local = {};
  local.sin_family = AF_INET;
  local.sin_port = htons(5002);
  ASSERT_EQ(bind(udp.get(), reinterpret_cast<sockaddr*>(&local), sizeof(local)), 0);
  const FrameSpec spec = {
      .protocol = IPPROTO_UDP, .partial_checksum = true, .payload = Pattern(700)};
  rte_mbuf* packet = testing::MakePacket(pool_.get(), BuildFrame(spec));
  ASSERT_TRUE(ApplyVirtioNetHeader(VirtioNetHeaderOf(spec), *packet));
  Batch batch;
  batch.Append(packet);
  port_->tx_queues()[0].Send(batch, 0);
  Bytes received(2000);
  const ssize_t bytes = recv(udp.get(), received.data(), received.size(), 0);
  ASSERT_EQ(bytes, 700);
  received.resize(bytes);
  EXPECT_EQ(received, spec.payload);
}

TEST_P(TapTxQueueTest, WithoutALinkABurstIsDroppedByNameAtTheCostOfOneWrite) {
  Open();
  Ip("link set tap0 down");
  Send(std::vector<Bytes>(10, Frame(60)));
  EXPECT_EQ(Dropped(DropReason::kLinkDown), 10U);
  EXPECT_EQ(Calls(), 1U);
  Ip("link set tap0 up");
  PeerForTest host("tap0");
  Send({Frame(60)});
  EXPECT_EQ(Count(TxCounter::kPackets), 1U);
  EXPECT_EQ(host.Receive()->bytes, Frame(60));
  ExpectSentBooksBalance(11);
}

TEST_P(TapTxQueueTest, ARefusedRuntDoesNotHoldUpTheNextFrame) {
  Open();
  PeerForTest host("tap0");
  Send({Bytes(13), Frame(60)});
  EXPECT_EQ(Dropped(DropReason::kDeviceRefused), 1U);
  EXPECT_EQ(ledger().errors[ErrorKind::kInvalid].Get(), 1U);
  EXPECT_EQ(host.Receive()->bytes, Frame(60));
  ExpectSentBooksBalance(2);
}

TEST_P(TapTxQueueTest, PacketsToADeletedDeviceAreDroppedByName) {
  Open();
  Ip("link del tap0");
  Send(std::vector<Bytes>(10, Frame(60)));
  Send(std::vector<Bytes>(10, Frame(60)));
  EXPECT_EQ(Dropped(DropReason::kPortDown), 20U);
  EXPECT_EQ(Flush(), TxResult::State::kIdle);
  EXPECT_EQ(Calls(), 1U);
  EXPECT_EQ(ledger().errors[ErrorKind::kDeviceGone].Get(), GetParam() ? 10U : 1U);
  ExpectSentBooksBalance(20);
}

// A host without room: what we write waits in the queue of a slow device behind a bridge, and the
// tap may have little under way.
class FullTapTest : public TapTxQueueTest {
 protected:
  void SetUp() override {
    Open();
    Ip("link add bridge0 up type bridge");
    Ip("link add slow0 type veth peer name slow1");
    Ip("link set tap0 master bridge0");
    Ip("link set slow0 up master bridge0");
    Ip("link set slow1 up");
    ASSERT_EQ(
        std::system("/sbin/tc qdisc add dev slow0 root tbf rate 8bit burst 2000 limit 10000000"),
        0);
    const int send_buffer_bytes = 20000;
    ASSERT_EQ(ioctl(port_->rx_queues()[0].wait_fd(), TUNSETSNDBUF, &send_buffer_bytes), 0);
    slow_ = std::make_unique<PeerForTest>("slow1");
  }

  // Sends frames until one is held. How many in all.
  uint32_t Fill() {
    const absl::Time deadline = absl::Now() + absl::Seconds(10);
    uint32_t given = 0;
    while (Held() == 0 && absl::Now() < deadline) Send({Frame(1000, given++)});
    EXPECT_EQ(Held(), 1U);
    return given;
  }
  // The last two frames at the other end of the slow device when `last` comes there, or in the end.
  std::pair<Bytes, Bytes> LastTwoAt(const Bytes& last) {
    std::pair<Bytes, Bytes> frames;
    while (frames.second != last) {
      std::optional<PeerForTest::Frame> frame = slow_->Receive(std::chrono::seconds(5));
      if (!frame.has_value()) break;
      frames = {std::move(frames.second), std::move(frame->bytes)};
    }
    return frames;
  }
  void GiveRoom() { ASSERT_EQ(std::system("/sbin/tc qdisc del dev slow0 root"), 0); }

  std::unique_ptr<PeerForTest> slow_;
};

TEST_P(FullTapTest, PacketsAreHeldInOrderUntilThereIsRoom) {
  uint32_t given = Fill();
  for (int i = 0; i < 5; ++i) Send({Frame(1000, given++)});
  EXPECT_EQ(Held(), 6U);
  EXPECT_EQ(Flush(), TxResult::State::kBlocked);
  EXPECT_EQ(Held(), 6U);
  ExpectSentBooksBalance(given);
  GiveRoom();
  EXPECT_EQ(Flush(), TxResult::State::kIdle);
  EXPECT_EQ(Count(TxCounter::kPackets), given);
  EXPECT_EQ(Count(TxCounter::kRetries), 2U);
  EXPECT_EQ(ledger().hold_microseconds.buckets[0].Get(), 1U);
  ExpectSentBooksBalance(given);
  EXPECT_EQ(LastTwoAt(Frame(1000, given - 1)),
            (std::pair(Frame(1000, given - 2), Frame(1000, given - 1))));
}

TEST_P(FullTapTest, OfABurstWhatFindsNoRoomIsHeldInOrder) {
  uint32_t given = 0;
  while (Held() == 0 && given < 10000) {
    std::vector<Bytes> burst;
    for (int i = 0; i < 20; ++i) burst.push_back(Frame(1000, given++));
    Send(burst);
  }
  EXPECT_GT(Held(), 0U);
  ExpectSentBooksBalance(given);
  GiveRoom();
  EXPECT_EQ(Flush(), TxResult::State::kIdle);
  EXPECT_EQ(Count(TxCounter::kPackets), given);
  EXPECT_EQ(LastTwoAt(Frame(1000, given - 1)),
            (std::pair(Frame(1000, given - 2), Frame(1000, given - 1))));
}

// Batched, the refused one is done with while those around it wait.
TEST_P(FullTapTest, ARefusedPacketAmongThoseThatWaitLeavesNoGap) {
  uint32_t given = 0;
  uint32_t bursts = 0;
  for (; Held() == 0 && bursts < 1000; ++bursts) {
    std::vector<Bytes> burst;
    for (int i = 0; i < 5; ++i) burst.push_back(Frame(1000, given++));
    burst.emplace_back(13);
    for (int i = 0; i < 5; ++i) burst.push_back(Frame(1000, given++));
    Send(burst);
  }
  EXPECT_GT(Held(), 1U);
  ExpectSentBooksBalance(given + bursts);
  GiveRoom();
  EXPECT_EQ(Flush(), TxResult::State::kIdle);
  EXPECT_EQ(Count(TxCounter::kPackets), given);
  EXPECT_EQ(Dropped(DropReason::kDeviceRefused), bursts);
  ExpectSentBooksBalance(given + bursts);
  EXPECT_EQ(LastTwoAt(Frame(1000, given - 1)),
            (std::pair(Frame(1000, given - 2), Frame(1000, given - 1))));
}

TEST_P(FullTapTest, ANewPacketDoesNotOvertakeWhatIsHeld) {
  uint32_t given = Fill();
  GiveRoom();
  Send({Frame(1000, given++)});
  EXPECT_EQ(Held(), 2U);
  EXPECT_EQ(Flush(), TxResult::State::kIdle);
  EXPECT_EQ(LastTwoAt(Frame(1000, given - 1)),
            (std::pair(Frame(1000, given - 2), Frame(1000, given - 1))));
}

TEST_P(FullTapTest, ASleepingWorkerIsWokenByRoomAndByNothingElse) {
  Fill();
  const AnyTxQueue queue = port_->tx_queues()[0];
  ASSERT_EQ(Flush(), TxResult::State::kBlocked);
  ASSERT_TRUE(queue.Arm());
  ASSERT_EQ(PeerForTest("tap0").TrySend(Frame(60)), 0);
  EXPECT_TRUE(IsReady(port_->rx_queues()[0].wait_fd()));
  EXPECT_FALSE(IsReady(queue.wait_fd())) << "a packet to receive is no room";
  GiveRoom();
  EXPECT_TRUE(IsReady(queue.wait_fd()));
  queue.Disarm();
  EXPECT_FALSE(IsReady(queue.wait_fd()));
  EXPECT_EQ(Flush(), TxResult::State::kIdle);
}

TEST_P(FullTapTest, TheBacklogIsBounded) {
  uint32_t given = Fill();
  for (std::size_t i = 0; i < TapTxQueue::kBacklog + 10; ++i) Send({Frame(100, given++)});
  EXPECT_EQ(Held(), TapTxQueue::kBacklog);
  EXPECT_EQ(Dropped(DropReason::kBacklogFull), 11U);
  ExpectSentBooksBalance(given);
  port_->tx_queues()[0].DropHeld(DropReason::kStopping);
  EXPECT_EQ(Dropped(DropReason::kStopping), TapTxQueue::kBacklog);
  EXPECT_EQ(Flush(), TxResult::State::kIdle);
  ExpectSentBooksBalance(given);
}

TEST_P(FullTapTest, WhatIsHeldWhenThePortGoesIsDroppedByName) {
  const uint32_t given = Fill();
  port_.reset();
  EXPECT_EQ(Dropped(DropReason::kPortRemoved), 1U);
  ExpectSentBooksBalance(given);
}

TEST_P(FullTapTest, WhatIsHeldWhenTheDeviceGoesIsDroppedByName) {
  const uint32_t given = Fill();
  Ip("link del tap0");
  EXPECT_EQ(Flush(), TxResult::State::kIdle);
  EXPECT_EQ(Dropped(DropReason::kPortDown), 1U);
  ExpectSentBooksBalance(given);
}

// A kernel without memory, which no tap can be brought to: a packet socket takes the same bytes and
// says the same ENOBUFS when the queue of its device is full.
TEST_P(TapTxQueueTest, WithoutMemoryTheNextTryWaitsForAMomentAndNotForever) {
  Ip("link add slow0 up type veth peer name slow1");
  Ip("link set slow1 up");
  ASSERT_EQ(std::system("/sbin/tc qdisc add dev slow0 root tbf rate 8bit burst 2000 limit 3000"),
            0);
  auto ledger = std::make_unique<ledger::TxQueueBlock>();
  FileDescriptor file = PeerForTest("slow0").Release();
  ASSERT_EQ(fcntl(file.get(), F_SETFL, O_NONBLOCK), 0);
  TapTxQueue queue(std::move(file), FileDescriptor(epoll_create1(0)), *ledger);
  constexpr Tsc kNow = 1000;
  while (ledger->levels[TxLevel::kHeld].Get() == 0) {
    Batch batch;
    batch.Append(testing::MakePacket(pool_.get(), Frame(1000)));
    queue.Send(batch, kNow);
  }
  EXPECT_EQ(ledger->errors[ErrorKind::kNoBufferSpace].Get(), 1U);
  const uint64_t writes = ledger->system_calls[SystemCall::kWrite].Get();
  const TxResult result = queue.Flush(kNow + 1);
  ASSERT_EQ(result.state, TxResult::State::kAt);
  EXPECT_GT(result.at, kNow + 1);
  EXPECT_EQ(ledger->system_calls[SystemCall::kWrite].Get(), writes);
  EXPECT_EQ(queue.Flush(result.at).state, TxResult::State::kAt) << "still no memory";
  ASSERT_EQ(std::system("/sbin/tc qdisc del dev slow0 root"), 0);
  EXPECT_EQ(queue.Flush(2 * result.at).state, TxResult::State::kIdle);
  EXPECT_EQ(ledger->counters[TxCounter::kPackets].Get(), writes);
}

std::string CallMode(const ::testing::TestParamInfo<bool>& info) {
  return info.param ? "Batched" : "Single";
}

INSTANTIATE_TEST_SUITE_P(BothWays, TapTxQueueTest, ::testing::Bool(), CallMode);
INSTANTIATE_TEST_SUITE_P(BothWays, FullTapTest, ::testing::Bool(), CallMode);

}  // namespace
}  // namespace wakegate
