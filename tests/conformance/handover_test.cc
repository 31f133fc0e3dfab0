// Two workers send to one transmit queue.
#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "gateway/testing/eventually.h"
#include "tests/conformance/conformance_test.h"
#include "tests/conformance/memory_host.h"

namespace wakegate::testing {
namespace {

using ledger::DropReason;

// A port with two queues, each on a worker of its own, connected to one with one queue.
class HandoverTest : public KindTest {
 protected:
  void Start(IdleMode mode) {
    bed_.emplace(GatewayOptions{.workers = 2, .idle_mode = mode});
    auto host = std::make_unique<MemoryHost>("a", bed_->gateway(), /*queues=*/2);
    a_ = host.get();
    bed_->Add("a", std::move(host));
    b_ = &bed_->Add("b", GetParam());
    bed_->Connect("a", "b");
    bed_->Apply();
    const v1::PortStatus a = bed_->gateway().PortStatus("a");
    ASSERT_NE(a.queues(0).rx_worker(), a.queues(1).rx_worker());
  }

  // Frame `number` of a flow: byte 14 says which flow, then comes the number.
  static Bytes FlowFrame(uint32_t flow, uint32_t number) {
    Bytes frame = RandomFrame(60 + number % 1000, number);
    frame[14] = static_cast<uint8_t>(flow);
    std::copy_n(reinterpret_cast<const uint8_t*>(&number), sizeof(number), frame.begin() + 15);
    return frame;
  }

  std::optional<Testbed> bed_;
  MemoryHost* a_ = nullptr;
  Host* b_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Kinds, HandoverTest, ValuesIn(KindsOnceOpen()), KindName());

TEST_P(HandoverTest, EachFlowStaysWholeAndInOrder) {
  for (const IdleMode mode : {IdleMode::kPoll, IdleMode::kInterrupt}) {
    Start(mode);
    uint32_t sent = 0;
    uint32_t next[2] = {0, 0};
    for (int round = 0; round < 60; ++round) {
      const uint32_t count = 1 + static_cast<uint32_t>(round) * 7 % 60;
      for (uint32_t i = 0; i < count; ++i, ++sent) {
        for (const uint32_t flow : {0, 1}) ASSERT_EQ(a_->SendOn(flow, FlowFrame(flow, sent)), 0);
      }
      for (uint32_t i = 0; i < 2 * count; ++i) {
        const std::optional<Bytes> frame = b_->Receive();
        ASSERT_TRUE(frame.has_value()) << "round " << round << ", frame " << i;
        const uint32_t flow = (*frame)[14];
        ASSERT_LT(flow, 2U);
        ASSERT_EQ(*frame, FlowFrame(flow, next[flow]++));
      }
    }
    EXPECT_EQ(bed_->gateway().Dropped("a", DropReason::kHandoffFull), 0U);
  }
}

// Whatever is too much is dropped by name, and what arrives is still in order.
TEST_P(HandoverTest, AFloodIsDroppedByNameOnly) {
  Start(IdleMode::kPoll);
  GatewayForTest& gateway = bed_->gateway();
  std::atomic<bool> ended = false;
  uint64_t received = 0;
  std::thread receiver([&] {
    int64_t last[2] = {-1, -1};
    while (!ended) {
      const auto frame = b_->Receive(std::chrono::milliseconds(20));
      if (!frame.has_value()) continue;
      ++received;
      const uint32_t flow = (*frame)[14];
      ASSERT_LT(flow, 2U);
      uint32_t number;
      std::copy_n(frame->begin() + 15, sizeof(number), reinterpret_cast<uint8_t*>(&number));
      ASSERT_EQ(*frame, FlowFrame(flow, number));
      ASSERT_GT(number, last[flow]);
      last[flow] = number;
    }
    EXPECT_GT(last[0], 0);
    EXPECT_GT(last[1], 0);
  });
  uint64_t sent = 0;
  for (uint32_t number = 0; number < 20'000; ++number) {
    for (const uint32_t flow : {0, 1}) sent += a_->SendOn(flow, FlowFrame(flow, number)) == 0;
  }
  EXPECT_TRUE(Eventually([&] {
    const uint64_t dropped = gateway.Dropped("a", DropReason::kHandoffFull) +
                             gateway.Dropped("b", DropReason::kBacklogFull);
    return gateway.Received("a") == sent && gateway.Sent("b") + dropped == sent;
  }));
  ended = true;
  receiver.join();
  EXPECT_LE(received, gateway.Sent("b"));
}

}  // namespace
}  // namespace wakegate::testing
