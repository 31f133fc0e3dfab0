#include "dataplane/control/gateway.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dataplane/testing/frames.h"
#include "dataplane/testing/gateway_for_test.h"
#include "gateway/config/text.h"
#include "gateway/testing/eventually.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using testing::GatewayForTest;
using testing::GatewayOptions;

constexpr char kTwoPorts[] = R"(
ports:
  - {name: a, memory: {cable: left, ring_packets: 256}}
  - {name: b, memory: {cable: right, ring_packets: 256}}
cross_connects:
  - {a: a, b: b}
)";

// For two workers: every packet is handed over.
std::string TwoPortsApart() {
  return std::string(kTwoPorts) + R"(
knobs:
  - {knob: worker, port: a, value: "0"}
  - {knob: worker, port: b, value: "1"}
)";
}

constexpr auto kPatience = std::chrono::seconds(2);

// The world outside of the gateway: the other ends of the cables.
class GatewayTest : public ::testing::Test {
 protected:
  void Start(const GatewayOptions& options = {}) {
    gateway_ = std::make_unique<GatewayForTest>(options);
    left_ = *gateway_->cables().Plug("left", 1, 256);
    right_ = *gateway_->cables().Plug("right", 1, 256);
  }

  // Sends packet number `number` into `end`, waiting for room, and for those sent long before to
  // come out: nothing in between has to drop any.
  void Send(CableEnd& end, uint32_t number) {
    rte_mbuf* packet = testing::MakePacket(gateway_->pool(), testing::Pattern(100, number));
    while (end.outgoing(0).Put({&packet, 1}) == 0) std::this_thread::yield();
    ++sent_;
    while (sent_ > received_ + 200) std::this_thread::yield();
    end.outgoing(0).packets_bell().Ring();
  }
  // The number of bytes patterns that come out of `end` within a time, in order from `first`.
  uint32_t ReceiveInOrder(CableEnd& end, uint32_t first, uint32_t count,
                          std::chrono::milliseconds within = std::chrono::milliseconds(2000)) {
    const auto give_up = std::chrono::steady_clock::now() + within;
    uint32_t got = 0;
    while (got < count && std::chrono::steady_clock::now() < give_up) {
      rte_mbuf* packet = nullptr;
      if (end.incoming(0).Get({&packet, 1}) == 0) continue;
      EXPECT_EQ(testing::BytesOf(*packet), testing::Pattern(100, first + got));
      rte_pktmbuf_free(packet);
      ++got;
      ++received_;
    }
    return got;
  }
  void TearDown() override {
    left_.reset();
    right_.reset();
    gateway_.reset();
  }

  std::atomic<uint64_t> sent_ = 0;
  std::atomic<uint64_t> received_ = 0;
  std::unique_ptr<GatewayForTest> gateway_;
  std::unique_ptr<CableEnd> left_;
  std::unique_ptr<CableEnd> right_;
};

TEST_F(GatewayTest, CrossConnectedPortsPassPacketsBothWaysInOrder) {
  Start();
  ASSERT_TRUE(gateway_->Apply(kTwoPorts).ok());
  for (uint32_t i = 0; i < 100; ++i) Send(*left_, i);
  for (uint32_t i = 0; i < 50; ++i) Send(*right_, 1000 + i);
  EXPECT_EQ(ReceiveInOrder(*right_, 0, 100), 100U);
  EXPECT_EQ(ReceiveInOrder(*left_, 1000, 50), 50U);
  EXPECT_EQ(gateway_->Received("a"), 100U);
  EXPECT_EQ(gateway_->Sent("b"), 100U);
  EXPECT_EQ(gateway_->PortStatus("a").cross_connected_to(), "b");
}

TEST_F(GatewayTest, APortWithoutACrossConnectDropsByName) {
  Start();
  ASSERT_TRUE(gateway_->Apply("ports: [{name: a, memory: {cable: left, ring_packets: 256}}]").ok());
  for (uint32_t i = 0; i < 5; ++i) Send(*left_, i);
  EXPECT_TRUE(Eventually([&] { return gateway_->Dropped("a", DropReason::kNoForwarding) == 5; },
                         kPatience));
}

TEST_F(GatewayTest, ARefusedConfigurationLeavesTheOldOneRunning) {
  Start();
  ASSERT_TRUE(gateway_->Apply(kTwoPorts).ok());
  // The third end of a cable cannot be had: by then a new port is open and another is changed.
  const auto taken = gateway_->cables().Plug("wall", 1, 256);
  const auto taken_too = gateway_->cables().Plug("wall", 1, 256);
  const absl::Status status = gateway_->Apply(R"(
ports:
  - {name: a, mtu: 9000, memory: {cable: left, ring_packets: 256}}
  - {name: b, memory: {cable: right, ring_packets: 256}}
  - {name: c, memory: {cable: free}}
  - {name: d, memory: {cable: wall, ring_packets: 256}}
)");
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << status;
  EXPECT_EQ(gateway_->gateway().State().ports_size(), 2);
  EXPECT_EQ(gateway_->gateway().State().generation(), 1U);
  EXPECT_EQ(gateway_->PortStatus("a").mtu(), 1500U);
  Send(*left_, 7);
  EXPECT_EQ(ReceiveInOrder(*right_, 7, 1), 1U);
}

TEST_F(GatewayTest, APortThatTakesOverTheDeviceOfAnotherIsExchanged) {
  Start();
  ASSERT_TRUE(gateway_->Apply(kTwoPorts).ok());
  const absl::Status status = gateway_->Apply(R"(
ports:
  - {name: renamed, memory: {cable: left, ring_packets: 256}}
  - {name: b, memory: {cable: right, ring_packets: 256}}
cross_connects:
  - {a: renamed, b: b}
)");
  ASSERT_TRUE(status.ok()) << status;
  Send(*left_, 3);
  EXPECT_EQ(ReceiveInOrder(*right_, 3, 1), 1U);
  EXPECT_EQ(gateway_->Received("renamed"), 1U);
}

TEST_F(GatewayTest, AnExchangeThatFailsIsTakenBack) {
  Start();
  ASSERT_TRUE(gateway_->Apply(kTwoPorts).ok());
  // Port a is closed to be opened with other sizes, which the other end of its cable refuses.
  const absl::Status status = gateway_->Apply(R"(
ports:
  - {name: a, memory: {cable: left, ring_packets: 512}}
  - {name: b, memory: {cable: right, ring_packets: 256}}
cross_connects:
  - {a: a, b: b}
)");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  Send(*left_, 9);
  EXPECT_EQ(ReceiveInOrder(*right_, 9, 1), 1U);
}

TEST_F(GatewayTest, APortPutDownReceivesNothingAndWhatIsForItIsDroppedByName) {
  Start();
  ASSERT_TRUE(gateway_
                  ->Apply(R"(
ports:
  - {name: a, memory: {cable: left, ring_packets: 256}}
  - {name: b, admin_up: false, memory: {cable: right, ring_packets: 256}}
cross_connects:
  - {a: a, b: b}
)")
                  .ok());
  Send(*left_, 0);
  EXPECT_TRUE(
      Eventually([&] { return gateway_->Dropped("a", DropReason::kPortDown) == 1; }, kPatience));
  EXPECT_EQ(gateway_->PortStatus("b").state(), v1::PortStatus::STATE_ADMIN_DOWN);
  ASSERT_TRUE(gateway_->Apply(kTwoPorts).ok());
  Send(*left_, 1);
  EXPECT_EQ(ReceiveInOrder(*right_, 1, 1), 1U);
}

TEST_F(GatewayTest, ARestartRunsWhatWasAppliedLast) {
  Start();
  ASSERT_TRUE(gateway_->Apply(kTwoPorts).ok());
  left_.reset();
  right_.reset();
  gateway_->Restart();
  left_ = *gateway_->cables().Plug("left", 1, 256);
  right_ = *gateway_->cables().Plug("right", 1, 256);
  EXPECT_EQ(gateway_->gateway().State().generation(), 1U);
  Send(*left_, 5);
  EXPECT_EQ(ReceiveInOrder(*right_, 5, 1), 1U);
}

TEST_F(GatewayTest, ABurstSizeChangedUnderTrafficLosesNothing) {
  Start();
  ASSERT_TRUE(gateway_->Apply(kTwoPorts).ok());
  constexpr uint32_t kPackets = 20'000;
  std::thread sender([&] {
    for (uint32_t i = 0; i < kPackets; ++i) Send(*left_, i);
  });
  std::thread receiver(
      [&] { EXPECT_EQ(ReceiveInOrder(*right_, 0, kPackets, std::chrono::seconds(30)), kPackets); });
  for (int burst = 1; burst <= 64; ++burst) {
    const absl::Status status =
        gateway_->Apply(std::string(kTwoPorts) + "knobs: [{knob: burst_size, port: a, value: \"" +
                        std::to_string(burst) + "\"}]");
    EXPECT_TRUE(status.ok()) << status;
  }
  sender.join();
  receiver.join();
}

TEST_F(GatewayTest, PortsThatComeAndGoUnderTrafficLoseNothingWithoutAName) {
  Start({.workers = 2});
  ASSERT_TRUE(gateway_->Apply(TwoPortsApart()).ok());
  std::atomic<bool> stop = false;
  std::thread sender([&] {
    for (uint32_t i = 0; !stop; ++i) {
      rte_mbuf* packet = testing::MakePacket(gateway_->pool(), testing::Pattern(100, i));
      if (left_->outgoing(0).Put({&packet, 1}) == 0) rte_pktmbuf_free(packet);
    }
  });
  std::thread receiver([&] {
    while (!stop) {
      rte_mbuf* packet = nullptr;
      if (right_->incoming(0).Get({&packet, 1}) == 1) rte_pktmbuf_free(packet);
    }
  });
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(
        gateway_->Apply("ports: [{name: a, memory: {cable: left, ring_packets: 256}}]").ok());
    ASSERT_TRUE(gateway_->Apply(TwoPortsApart()).ok());
  }
  stop = true;
  sender.join();
  receiver.join();
  EXPECT_GT(gateway_->Received("a"), 0U);
}

TEST_F(GatewayTest, PacketsHandedToAnotherWorkerStayInOrder) {
  Start({.workers = 2});
  ASSERT_TRUE(gateway_->Apply(TwoPortsApart()).ok());
  ASSERT_EQ(gateway_->PortStatus("b").queues(0).tx_worker(), 1U);
  constexpr uint32_t kPackets = 20'000;
  std::thread sender([&] {
    for (uint32_t i = 0; i < kPackets; ++i) {
      Send(*left_, i);
    }
  });
  EXPECT_EQ(ReceiveInOrder(*right_, 0, kPackets, std::chrono::seconds(30)), kPackets);
  sender.join();
}

// Sleeping workers: each packet finds everybody asleep, and must wake them all the way.
TEST_F(GatewayTest, SleepingWorkersAreWokenForEveryPacket) {
  Start({.workers = 2, .idle_mode = IdleMode::kInterrupt});
  ASSERT_TRUE(gateway_->Apply(TwoPortsApart()).ok());
  for (uint32_t i = 0; i < 100; ++i) {
    Send(*left_, i);
    ASSERT_EQ(ReceiveInOrder(*right_, i, 1), 1U) << "asleep beside packet " << i;
    if (i % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  uint64_t handoff_wakes = 0;
  uint64_t packet_wakes = 0;
  const ledger::Snapshot snapshot = gateway_->TakeSnapshot();
  for (const ledger::SlotSnapshot& slot : snapshot.slots) {
    if (slot.identity().kind != ledger::SlotKind::kWorker) continue;
    handoff_wakes += slot.worker().wakes[ledger::WakeCause::kHandoff].Get();
    packet_wakes += slot.worker().wakes[ledger::WakeCause::kPacket].Get();
  }
  EXPECT_GT(packet_wakes, 0U);
  EXPECT_GT(handoff_wakes, 0U);
}

TEST_F(GatewayTest, SaysWhatTellsOfAQueuesPackets) {
  Start();
  ASSERT_TRUE(gateway_
                  ->Apply("ports: [{name: word, memory: {cable: own}}, "
                          "{name: neither, ethdev: {devargs: net_ring0}}]")
                  .ok());
  EXPECT_EQ(gateway_->PortStatus("word").queues(0).rx_trigger(), "");
  EXPECT_EQ(gateway_->PortStatus("neither").queues(0).rx_trigger(), "none");
}

TEST_F(GatewayTest, AnIdleRingIsAnsweredFromMemory) {
  Start();
  ASSERT_TRUE(gateway_->Apply(kTwoPorts).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const ledger::Snapshot snapshot = gateway_->TakeSnapshot();
  for (const ledger::SlotSnapshot& slot : snapshot.slots) {
    if (slot.identity().kind != ledger::SlotKind::kRxQueue) continue;
    EXPECT_GT(slot.rx().counters[ledger::RxCounter::kPollsFromMemory].Get(), 1000U);
    EXPECT_EQ(slot.rx().counters[ledger::RxCounter::kPolls].Get(), 0U);
  }
}

TEST_F(GatewayTest, AWorkerWithoutQueuesSleeps) {
  Start();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const ledger::Snapshot snapshot = gateway_->TakeSnapshot();
  for (const ledger::SlotSnapshot& slot : snapshot.slots) {
    EXPECT_LT(slot.worker().counters[ledger::WorkerCounter::kIterations].Get(), 100U);
  }
}

TEST_F(GatewayTest, AnApplyThatNobodyWaitsForAnyMoreChangesNothing) {
  GatewayForTest gateway;
  ASSERT_TRUE(gateway.Apply("ports: [{name: a, memory: {cable: x}}]").ok());
  const v1::GatewayConfig desired =
      *ParseConfig("ports: [{name: a, memory: {cable: y}}, {name: b, memory: {cable: z}}]", "test");
  const absl::Status status = gateway.gateway().Apply(desired, 2, [] { return true; });
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  const internal::v1::GetStateResponse state = gateway.gateway().State();
  EXPECT_EQ(state.generation(), 1U);
  ASSERT_EQ(state.ports_size(), 1);
  EXPECT_EQ(state.ports(0).name(), "a");
  EXPECT_EQ(state.config().ports(0).memory().cable(), "x");
}

}  // namespace
}  // namespace wakegate
