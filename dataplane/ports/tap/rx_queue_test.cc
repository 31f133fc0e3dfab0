#include "dataplane/ports/tap/rx_queue.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/packet/offload.h"
#include "dataplane/packet/packet_from_bytes.h"
#include "dataplane/ports/tap/tap_for_test.h"
#include "gateway/testing/eventually.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::RxCounter;
using ledger::SystemCall;
using testing::BuildFrame;
using testing::Bytes;
using testing::BytesOf;
using ::testing::ElementsAre;
using testing::FrameSpec;
using ::testing::IsEmpty;
using testing::Pattern;

class TapRxQueueTest : public TapTest, public ::testing::WithParamInterface<bool> {
 protected:
  const ScopedCallRing ring_{GetParam()};
  const ledger::RxQueueBlock& ledger() const { return *rx_[0]; }
  uint64_t Count(RxCounter counter) const { return ledger().counters[counter].Get(); }
  uint64_t Reads() const { return ledger().system_calls[SystemCall::kRead].Get(); }
  uint64_t Batches() const { return ledger().system_calls[SystemCall::kIoUringEnter].Get(); }
};

TEST_P(TapRxQueueTest, FramesOfAllLengthsArriveInOrderAndUnchanged) {
  Open();
  PeerForTest host("tap0");
  std::vector<Bytes> sent;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < 50; ++i) {
    sent.push_back(Frame(14 + i * 30, i));
    bytes += sent.back().size();
    ASSERT_EQ(host.TrySend(sent.back()), 0);
  }
  RxResult result;
  EXPECT_EQ(Receive(&result), sent);
  EXPECT_EQ(result, RxResult::kDrained);
  EXPECT_EQ(Count(RxCounter::kPackets), sent.size());
  EXPECT_EQ(Count(RxCounter::kBytes), bytes);
  EXPECT_EQ(ledger().batch_size.sum.Get(), sent.size());
}

TEST_P(TapRxQueueTest, APacketBeyondTheBurstIsNotTakenForAnEmptyQueue) {
  Open();
  PeerForTest host("tap0");
  for (uint32_t i = 0; i < 33; ++i) ASSERT_EQ(host.TrySend(Frame(60, i)), 0);
  RxResult result;
  EXPECT_EQ(Receive(&result, 32).size(), 32U);
  EXPECT_EQ(result, RxResult::kMore);
  EXPECT_THAT(Receive(&result, 32), ElementsAre(Frame(60, 32)));
  EXPECT_EQ(result, RxResult::kDrained);
}

TEST_P(TapRxQueueTest, AnEmptyQueueCostsOneRead) {
  Open();
  RxResult result;
  EXPECT_THAT(Receive(&result), IsEmpty());
  EXPECT_EQ(result, RxResult::kDrained);
  EXPECT_EQ(Count(RxCounter::kPolls), 1U);
  EXPECT_EQ(Count(RxCounter::kEmptyPolls), 1U);
  EXPECT_EQ(Reads(), 1U);
}

// Batched, the read that finds nothing is part of the call.
TEST_P(TapRxQueueTest, ABurstAsLargeAsTheLastOneCostsOneCall) {
  Open();
  PeerForTest host("tap0");
  for (const uint32_t packets : {20U, 20U, 20U, 3U, 3U}) {
    const uint64_t reads = Reads();
    const uint64_t batches = Batches();
    for (uint32_t i = 0; i < packets; ++i) ASSERT_EQ(host.TrySend(Frame(60, i)), 0);
    RxResult result;
    EXPECT_EQ(Receive(&result).size(), packets);
    EXPECT_EQ(result, RxResult::kDrained);
    if (GetParam() && reads > 0) {
      EXPECT_EQ(Reads(), reads);
      EXPECT_EQ(Batches(), batches + 1);
    } else if (!GetParam()) {
      EXPECT_EQ(Reads(), reads + packets + 1);
    }
  }
  // And an empty queue comes down to one read.
  Receive();
  const uint64_t batches = Batches();
  Receive();
  EXPECT_EQ(Batches(), batches);
}

TEST_P(TapRxQueueTest, ItsDescriptorIsReadableJustWhileAPacketWaits) {
  Open();
  PeerForTest host("tap0");
  const AnyRxQueue queue = port_->rx_queues()[0];
  pollfd poll_fd = {.fd = queue.wait_fd(), .events = POLLIN, .revents = 0};
  EXPECT_TRUE(queue.Arm());
  EXPECT_EQ(poll(&poll_fd, 1, 0), 0);
  ASSERT_EQ(host.TrySend(Frame(60)), 0);
  EXPECT_EQ(poll(&poll_fd, 1, 0), 1);
  queue.Disarm();
  EXPECT_EQ(Receive().size(), 1U);
  EXPECT_EQ(poll(&poll_fd, 1, 0), 0);
}

TEST_P(TapRxQueueTest, TagsStayInTheBytes) {
  Open();
  PeerForTest host("tap0");
  const Bytes tagged =
      BuildFrame({.tags = {{.tpid = 0x88a8, .tci = 7}, {.tpid = 0x8100, .tci = 0xb064}},
                  .payload = Pattern(1000)});
  ASSERT_EQ(host.TrySend(tagged), 0);
  EXPECT_THAT(Receive(), ElementsAre(tagged));
}

TEST_P(TapRxQueueTest, ASegmentOf64KilobytesIsAChainThatAsksForSegmentation) {
  Open();
  PeerForTest host("tap0");
  for (const bool ipv6 : {false, true}) {
    const FrameSpec spec = {
        .ipv6 = ipv6, .partial_checksum = true, .payload = Pattern(ipv6 ? 65460 : 65480)};
    const Bytes frame = BuildFrame(spec);
    ASSERT_EQ(host.TrySend(frame, VirtioNetHeaderOf(spec, 1400)), 0);
    Batch batch;
    EXPECT_EQ(port_->rx_queues()[0].Receive(batch), RxResult::kDrained);
    ASSERT_EQ(batch.size(), 1U);
    const rte_mbuf& packet = *batch[0];
    EXPECT_EQ(BytesOf(packet), frame);
    EXPECT_GT(packet.nb_segs, 30);
    EXPECT_TRUE(AsksForSegmentation(packet));
    EXPECT_EQ(packet.ol_flags & RTE_MBUF_F_TX_IPV6, ipv6 ? RTE_MBUF_F_TX_IPV6 : 0);
    EXPECT_EQ(packet.tso_segsz, 1400);
    rte_pktmbuf_free(batch[0]);
  }
}

TEST_P(TapRxQueueTest, TheHostsStackLeavesTheChecksumToUs) {
  Open();
  Ip("address add 10.0.0.1/24 dev tap0");
  Ip("neighbour add 10.0.0.2 lladdr 02:00:00:00:00:02 dev tap0");
  const FileDescriptor udp(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in peer = {};
  peer.sin_family = AF_INET;
  peer.sin_port = htons(4000);
  ASSERT_EQ(inet_pton(AF_INET, "10.0.0.2", &peer.sin_addr), 1);
  ASSERT_EQ(sendto(udp.get(), "hello", 5, 0, reinterpret_cast<sockaddr*>(&peer), sizeof(peer)), 5);
  Batch batch;
  port_->rx_queues()[0].Receive(batch);
  ASSERT_EQ(batch.size(), 1U);
  EXPECT_EQ(batch[0]->ol_flags & RTE_MBUF_F_TX_L4_MASK, RTE_MBUF_F_TX_UDP_CKSUM);
  EXPECT_EQ(batch[0]->pkt_len, 14U + 20 + 8 + 5);
  rte_pktmbuf_free(batch[0]);
}

// Case 10 of what broke for others: buffers that come back find the packets without new traffic.
TEST_P(TapRxQueueTest, PacketsWaitForBuffersAndAllArrive) {
  Open();
  PeerForTest host("tap0");
  std::vector<rte_mbuf*> taken(pool_.count());
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool_.get(), taken.data(), pool_.count()), 0);
  std::vector<Bytes> sent;
  for (uint32_t i = 0; i < 10; ++i) {
    sent.push_back(Frame(100, i));
    ASSERT_EQ(host.TrySend(sent.back()), 0);
  }
  RxResult result;
  EXPECT_THAT(Receive(&result), IsEmpty());
  EXPECT_EQ(result, RxResult::kRetryLater);
  EXPECT_FALSE(port_->rx_queues()[0].Arm()) << "the worker must not sleep";
  EXPECT_THAT(Receive(&result), IsEmpty());
  EXPECT_EQ(Reads(), 1U) << "a retry asks the pool first, then the kernel";
  EXPECT_EQ(Count(RxCounter::kRetries), 2U);
  EXPECT_EQ(Count(RxCounter::kPackets), 0U);

  rte_pktmbuf_free_bulk(taken.data(), pool_.count());
  EXPECT_EQ(Receive(&result), sent);
  EXPECT_EQ(result, RxResult::kDrained);
  EXPECT_TRUE(port_->rx_queues()[0].Arm());
}

TEST_P(TapRxQueueTest, WhatWaitsForABufferWhenThePortGoesIsDroppedByName) {
  Open();
  PeerForTest host("tap0");
  for (uint32_t i = 0; i < 20; ++i) ASSERT_EQ(host.TrySend(Frame(100, i)), 0);
  EXPECT_EQ(Receive(nullptr, 16).size(), 16U);
  std::vector<rte_mbuf*> taken(pool_.count());
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool_.get(), taken.data(), pool_.count()), 0);
  RxResult result;
  EXPECT_THAT(Receive(&result), IsEmpty());
  EXPECT_EQ(result, RxResult::kRetryLater);
  port_.reset();
  const uint64_t read = GetParam() ? 4 : 1;  // The kernel had the others.
  EXPECT_EQ(Count(RxCounter::kPackets), 16 + read);
  EXPECT_EQ(Count(RxCounter::kBytes), (16 + read) * 100);
  EXPECT_EQ(ledger().drops[DropReason::kPortRemoved].Get(), read);
  rte_pktmbuf_free_bulk(taken.data(), pool_.count());
}

TEST_P(TapRxQueueTest, ADeletedDeviceIsEmptyAndSilent) {
  Open();
  const AnyRxQueue queue = port_->rx_queues()[0];
  Ip("link del tap0");
  RxResult result;
  EXPECT_THAT(Receive(&result), IsEmpty());
  EXPECT_EQ(result, RxResult::kDrained);
  for (int i = 0; i < 100; ++i) Receive(&result);
  EXPECT_EQ(result, RxResult::kDrained);
  EXPECT_EQ(ledger().errors[ErrorKind::kDeviceGone].Get(), 1U);
  EXPECT_EQ(Reads(), 1U);
  EXPECT_TRUE(queue.Arm());
  EXPECT_FALSE(IsReady(queue.wait_fd())) << "a sleeping worker would spin";
}

TEST_P(TapRxQueueTest, SurvivesADeletionUnderTraffic) {
  Open();
  PeerForTest host("tap0");
  std::atomic<bool> stop = false;
  std::thread sender([&] {
    while (!stop) host.TrySend(Frame(500));
  });
  std::size_t received = 0;
  while (received < 5000) received += Receive().size();
  std::thread deleter([] { Ip("link del tap0"); });
  while (ledger().errors[ErrorKind::kDeviceGone].Get() == 0) received += Receive().size();
  deleter.join();
  stop = true;
  sender.join();
  EXPECT_EQ(Count(RxCounter::kPackets), received);
  EXPECT_THAT(Receive(), IsEmpty());
}

// What a kernel could say but this one cannot be made to say: a socket takes the tap's place.
class TapRxQueueOfASocketTest : public ::testing::TestWithParam<bool> {
 protected:
  const ScopedCallRing ring_{GetParam()};
  TapRxQueueOfASocketTest() {
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    kernel_ = FileDescriptor(fds[0]);
    queue_.emplace(FileDescriptor(fds[1]), -1, pool_.get(), *ledger_);
  }

  void Say(const virtio_net_hdr& header, const Bytes& frame) {
    Bytes message(sizeof(header));
    std::memcpy(message.data(), &header, sizeof(header));
    message.insert(message.end(), frame.begin(), frame.end());
    ASSERT_EQ(write(kernel_.get(), message.data(), message.size()), ssize_t(message.size()));
  }
  // The first packet has an error and the second none.
  void ExpectOnlyTheSecondArrives(DropReason reason) {
    Say({}, Frame(60));
    Batch batch;
    EXPECT_EQ(queue_->Receive(batch), RxResult::kDrained);
    ASSERT_EQ(batch.size(), 1U);
    EXPECT_EQ(BytesOf(*batch[0]), Frame(60));
    rte_pktmbuf_free(batch[0]);
    EXPECT_EQ(ledger_->drops[reason].Get(), 1U);
    EXPECT_EQ(ledger_->counters[RxCounter::kPackets].Get(), 2U);
  }

  testing::PoolForTest pool_;
  std::unique_ptr<ledger::RxQueueBlock> ledger_ = std::make_unique<ledger::RxQueueBlock>();
  FileDescriptor kernel_;
  std::optional<TapRxQueue> queue_;
};

TEST_P(TapRxQueueOfASocketTest, ARuntIsDroppedByName) {
  Say({}, Bytes(13));
  ExpectOnlyTheSecondArrives(DropReason::kRunt);
}

TEST_P(TapRxQueueOfASocketTest, APacketWithoutBytesIsARunt) {
  Say({}, {});
  ExpectOnlyTheSecondArrives(DropReason::kRunt);
}

TEST_P(TapRxQueueOfASocketTest, AnOffloadThatDoesNotFitThePacketIsDroppedByName) {
  const FrameSpec udp = {
      .protocol = IPPROTO_UDP, .partial_checksum = true, .payload = Pattern(4000)};
  virtio_net_hdr header = VirtioNetHeaderOf(udp, 1000);
  header.gso_type = VIRTIO_NET_HDR_GSO_TCPV4;
  Say(header, BuildFrame(udp));
  ExpectOnlyTheSecondArrives(DropReason::kBadOffload);
}

TEST_P(TapRxQueueOfASocketTest, APacketThatMayHaveBeenCutOffIsDroppedByName) {
  Say({}, Frame(kMaxPacketBytes + 1));
  ExpectOnlyTheSecondArrives(DropReason::kTruncated);
}

TEST_P(TapRxQueueOfASocketTest, TheLongestPacketIsNotTakenForOneThatWasCutOff) {
  Say({}, Frame(kMaxPacketBytes));
  Batch batch;
  EXPECT_EQ(queue_->Receive(batch), RxResult::kDrained);
  ASSERT_EQ(batch.size(), 1U);
  EXPECT_EQ(BytesOf(*batch[0]), Frame(kMaxPacketBytes));
  rte_pktmbuf_free(batch[0]);
}

TEST_P(TapRxQueueOfASocketTest, AFloodOfRuntsDoesNotHoldTheWorker) {
  for (int i = 0; i < 5; ++i) Say({}, Bytes(5));
  Batch batch(4);
  EXPECT_EQ(queue_->Receive(batch), RxResult::kMore);
  EXPECT_EQ(queue_->Receive(batch), RxResult::kDrained);
  EXPECT_EQ(ledger_->drops[DropReason::kRunt].Get(), 5U);
}

std::string CallMode(const ::testing::TestParamInfo<bool>& info) {
  return info.param ? "Batched" : "Single";
}

// A kernel whose taps do not say whether a read would block: a terminal, which does not either,
// takes the tap's place.
TEST(TapRxQueueOfATerminalTest, WhatCannotBeReadInABatchIsReadByItself) {
  const ScopedCallRing ring(/*batched=*/true);
  const testing::PoolForTest pool;
  const FileDescriptor kernel(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_EQ(unlockpt(kernel.get()), 0);
  FileDescriptor file(open(ptsname(kernel.get()), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  termios settings;
  ASSERT_EQ(tcgetattr(file.get(), &settings), 0);
  cfmakeraw(&settings);
  ASSERT_EQ(tcsetattr(file.get(), TCSANOW, &settings), 0);
  auto ledger = std::make_unique<ledger::RxQueueBlock>();
  TapRxQueue queue(std::move(file), -1, pool.get(), *ledger);

  Bytes message(sizeof(virtio_net_hdr));
  const Bytes frame = Frame(60);
  message.insert(message.end(), frame.begin(), frame.end());
  for (uint32_t packet = 1; packet <= 3; ++packet) {
    ASSERT_EQ(write(kernel.get(), message.data(), message.size()), ssize_t(message.size()));
    Batch batch;
    ASSERT_TRUE(
        Eventually([&] { return queue.Receive(batch) == RxResult::kDrained && !batch.empty(); }));
    ASSERT_EQ(batch.size(), 1U);
    EXPECT_EQ(BytesOf(*batch[0]), frame);
    rte_pktmbuf_free(batch[0]);
  }
  EXPECT_EQ(ledger->counters[RxCounter::kPackets].Get(), 3U);
  EXPECT_EQ(ledger->system_calls[SystemCall::kIoUringEnter].Get(), 1U) << "one try";
  for (const ledger::Counter& errors : ledger->errors.cells) EXPECT_EQ(errors.Get(), 0U);
}

INSTANTIATE_TEST_SUITE_P(BothWays, TapRxQueueTest, ::testing::Bool(), CallMode);
INSTANTIATE_TEST_SUITE_P(BothWays, TapRxQueueOfASocketTest, ::testing::Bool(), CallMode);

}  // namespace
}  // namespace wakegate
