#include "dataplane/ports/ethdev/port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "dataplane/packet/batch.h"
#include "dataplane/ports/ethdev/fixture_for_test.h"
#include "gateway/testing/eventually.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::RxCounter;
using ledger::TxCounter;
using ledger::TxLevel;
using ::testing::HasSubstr;

// A file of packets that holds none (pcap-savefile(5)): Ethernet, up to 64 KB each.
std::string EmptyCapture() {
  const std::string path = ::testing::TempDir() + "empty.pcap";
  const uint32_t header[] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, 65535, 1};
  std::ofstream(path).write(reinterpret_cast<const char*>(header), sizeof(header));
  return path;
}

class EthdevPortTest : public ::testing::Test {
 protected:
  testing::PoolForTest pool_{4095};
};

TEST_F(EthdevPortTest, NetNullAlwaysHasPacketsAndTakesAll) {
  EthdevForTest port("net_null0,size=100", pool_.get());
  EXPECT_EQ(port.Receive(64, 0, 32).size(), 64U);
  EXPECT_EQ(port.rx_ledger().counters[RxCounter::kBytes].Get(), 6400U);
  port.Send(NumberedFrames(100));
  EXPECT_TRUE(port.Flush());
  EXPECT_EQ(port.tx_ledger().counters[TxCounter::kPackets].Get(), 100U);
  const KernelCounters counters = port.port().ReadKernelCounters();
  EXPECT_EQ(counters.rx_packets, 64U);
  EXPECT_EQ(counters.tx_packets, 100U);
}

TEST_F(EthdevPortTest, APortWithoutInterruptsNeverSleepsAndSaysWhy) {
  EthdevForTest port("net_null0", pool_.get());
  EXPECT_EQ(port.port().sleep_obstacle(), "net_null has no Rx interrupts");
  EXPECT_FALSE(port.rx().Arm());
  port.rx().Disarm();
}

// Drivers with vector instructions return nothing for a small burst.
TEST_F(EthdevPortTest, BurstsOfAnySizeComeInOrder) {
  EthdevForTest port("net_ring0", pool_.get());
  for (const uint32_t burst : {1, 3, 8, 12, 31, 64}) {
    const std::vector<testing::Bytes> frames = NumberedFrames(200);
    port.Send(frames);
    EXPECT_EQ(port.Receive(frames.size(), 0, burst), frames) << burst;
  }
}

// net_ring is its own peer: what is sent on a queue is received on it.
TEST_F(EthdevPortTest, QueuesAreApart) {
  EthdevForTest port("net_ring0", pool_.get(), /*queues=*/4);
  const std::vector<testing::Bytes> frames = NumberedFrames(10);
  port.Send(frames, 3);
  Batch batch;
  EXPECT_EQ(port.rx(0).Receive(batch), RxResult::kDrained);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(port.Receive(frames.size(), 3), frames);
}

TEST_F(EthdevPortTest, WhatTheDeviceHasNoRoomForWaitsInOrderThenIsDroppedByName) {
  EthdevForTest port("net_ring0", pool_.get());
  constexpr uint32_t kMore = 1500;  // Than ring and backlog hold.
  const std::vector<testing::Bytes> frames = NumberedFrames(kMore);
  port.Send(frames);
  const uint64_t in_ring = port.tx_ledger().counters[TxCounter::kPackets].Get();
  const uint64_t held = port.tx_ledger().levels[TxLevel::kHeld].Get();
  EXPECT_EQ(held, 256U);
  EXPECT_EQ(port.Dropped(DropReason::kBacklogFull), kMore - in_ring - held);
  EXPECT_EQ(port.tx().Flush(0).state, TxResult::State::kAt);

  std::vector<testing::Bytes> received = port.Receive(in_ring);
  EXPECT_TRUE(port.Flush());
  for (const testing::Bytes& frame : port.Receive(held)) received.push_back(frame);
  EXPECT_EQ(received, std::vector<testing::Bytes>(frames.begin(), frames.begin() + in_ring + held));
}

TEST_F(EthdevPortTest, AStoppedPortIsEmptyAndDropsWhatItIsGivenByName) {
  EthdevForTest port("net_null0", pool_.get());
  port.Receive(1, 0, /*burst=*/1);  // 31 more are taken.
  ASSERT_TRUE(port.port().SetAdminUp(false).ok());
  EXPECT_EQ(port.Dropped(DropReason::kPortDown), 31U);
  EXPECT_FALSE(port.port().ReadDevice()->admin_up);
  EXPECT_FALSE(port.port().ReadDevice()->carrier);
  Batch batch;
  EXPECT_EQ(port.rx().Receive(batch), RxResult::kDrained);
  EXPECT_TRUE(batch.empty());
  port.Send(NumberedFrames(5));
  EXPECT_EQ(port.Dropped(DropReason::kPortDown), 36U);
  ASSERT_TRUE(port.port().SetAdminUp(true).ok());
  EXPECT_EQ(port.Receive(32).size(), 32U);
}

// DPDK lets nobody use a device that is being stopped.
TEST_F(EthdevPortTest, StopsAndStartsUnderAWorkerThatPolls) {
  EthdevForTest port("net_null0", pool_.get());
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> received = 0;
  std::thread worker([&] {
    while (!stop) {
      Batch batch;
      port.rx().Receive(batch);
      received += batch.size();
      for (rte_mbuf* packet : batch.packets()) packet->ol_flags |= RTE_MBUF_F_TX_IPV4;
      port.tx().Send(batch, 0);
    }
  });
  for (int i = 0; i < 200; ++i) {
    const uint64_t before = received;
    ASSERT_TRUE(i % 2 == 1 || Eventually([&] { return received > before; }));
    ASSERT_TRUE(port.port().SetAdminUp(i % 2 == 1).ok());
  }
  stop = true;
  worker.join();
  port.CountReceivedElsewhere(received);
  port.CountSentElsewhere(received);
}

TEST_F(EthdevPortTest, TheMtuIsThePortsOwnWhereTheDriverKnowsNone) {
  EthdevForTest port("net_ring0", pool_.get());
  EXPECT_EQ(port.port().ReadDevice()->mtu, 1500U);
  EXPECT_TRUE(port.port().SetMtu(9000).ok());
  EXPECT_EQ(port.port().ReadDevice()->mtu, 9000U);
  EXPECT_EQ(port.port().transmit_capabilities(9000).mtu, 9000U);
}

TEST_F(EthdevPortTest, WhatCannotBePluggedInIsNamed) {
  EXPECT_THAT(OpenError("net_nonsense0", pool_.get()).ToString(),
              HasSubstr("NOT_FOUND: plug in net_nonsense0: no driver has such a device"));
  EXPECT_THAT(OpenError("ffff:ff:1f.6", pool_.get()).ToString(),
              HasSubstr("NOT_FOUND: plug in ffff:ff:1f.6: no such device"));
  EXPECT_THAT(OpenError("net_memif0,role=nonsense", pool_.get()).ToString(),
              HasSubstr("FAILED_PRECONDITION: plug in net_memif0: its driver refused it"));
  EXPECT_THAT(OpenError("net_tap0,iface=tap0", pool_.get()).ToString(),
              HasSubstr("use a port of kind tap"));
  EXPECT_THAT(OpenError("crypto_null", pool_.get()).ToString(), HasSubstr("no network device"));
  EthdevForTest port("net_null0", pool_.get());
  EXPECT_THAT(OpenError("net_null0", pool_.get()).ToString(),
              HasSubstr("ALREADY_EXISTS: plug in net_null0: it is in use already"));
}

TEST_F(EthdevPortTest, MoreQueuesThanTheDeviceHasAreRefusedWithWhatItHas) {
  EXPECT_THAT(OpenError("net_pcap0,rx_pcap=" + EmptyCapture(), pool_.get(), 2).ToString(),
              HasSubstr("with 2 queues: it has 1 to receive"));
}

TEST_F(EthdevPortTest, OpenedAndClosedAThousandTimesItLeavesNothingBehind) {
  const auto files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto open_once = [&] {
    EthdevForTest null("net_null0", pool_.get(), 2);
    EthdevForTest pcap("net_pcap0,rx_pcap=" + EmptyCapture(), pool_.get());
  };
  for (int i = 0; i < 10; ++i) open_once();
  const auto files_before = files();
  for (int i = 0; i < 1000; ++i) open_once();
  EXPECT_EQ(files(), files_before);
}

}  // namespace
}  // namespace wakegate
