#include "dataplane/worker/sender_set.h"

#include <gtest/gtest.h>

#include <vector>

#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"
#include "dataplane/wakeup/idle_policy.h"

namespace wakegate {
namespace {

constexpr Tsc kBlockedRetry = 100;

// A transmit queue whose answers the test sets.
class ScriptedQueue {
 public:
  void Send(Batch& in, Tsc) {
    sent += in.size();
    for (rte_mbuf* packet : in.packets()) rte_pktmbuf_free(packet);
    in.Clear();
  }
  TxResult Flush(Tsc now) {
    flushed_at.push_back(now);
    return answer;
  }
  void DropHeld(ledger::DropReason) {}
  bool Arm() { return true; }
  void Disarm() {}
  int wait_fd() { return -1; }

  TxResult answer = TxResult::Idle();
  uint32_t sent = 0;
  std::vector<Tsc> flushed_at;
};

class SenderSetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (uint32_t i = 0; i < 2; ++i) {
      plan_.senders.push_back({.queue = AnyTxQueue(queues_[i]),
                               .ledger = &ledgers_[i],
                               .ready_bit = 10 + i,
                               .inbound = {}});
    }
    plan_.senders[1].inbound = {&ring_};
    senders_.Adopt(plan_);
  }
  void Send(uint32_t sender, Tsc now) {
    Batch batch;
    batch.Append(testing::MakePacket(pool_.get(), testing::Pattern(60)));
    senders_.Send(sender, batch, now);
  }

  testing::PoolForTest pool_;
  ReadyBitmap ready_{64};
  std::unique_ptr<Doorbell> bell_ = *Doorbell::Create();
  HandoffRing ring_{*PacketRing::Create(256), ready_, 11, *bell_};
  ScriptedQueue queues_[2];
  ledger::TxQueueBlock ledgers_[2] = {};
  Plan plan_;
  SenderSet senders_{64, kBlockedRetry};
};

TEST_F(SenderSetTest, EachSenderOfANewPlanIsFlushedOnce) {
  senders_.Flush(5);
  senders_.Flush(6);
  EXPECT_EQ(queues_[0].flushed_at, (std::vector<Tsc>{5}));
  EXPECT_EQ(queues_[1].flushed_at, (std::vector<Tsc>{5}));
}

TEST_F(SenderSetTest, OnlyAQueueThatWasSentOnIsFlushed) {
  senders_.Flush(1);
  Send(0, 10);
  senders_.Flush(10);
  senders_.Flush(11);
  EXPECT_EQ(queues_[0].flushed_at, (std::vector<Tsc>{1, 10}));
  EXPECT_EQ(queues_[1].flushed_at, (std::vector<Tsc>{1}));
  EXPECT_EQ(senders_.NextDeadline(), IdlePolicy::kNoDeadline);
}

TEST_F(SenderSetTest, AQueueThatHoldsIsFlushedAtItsTimeAndAskedAgainAfterASend) {
  queues_[0].answer = TxResult::At(500);
  senders_.Flush(10);
  EXPECT_EQ(senders_.NextDeadline(), 500U);
  senders_.Flush(499);
  EXPECT_EQ(queues_[0].flushed_at.size(), 1U);
  Send(0, 499);
  senders_.Flush(499);
  EXPECT_EQ(queues_[0].flushed_at.size(), 2U);
  queues_[0].answer = TxResult::Idle();
  senders_.Flush(500);
  EXPECT_EQ(queues_[0].flushed_at.size(), 3U);
}

TEST_F(SenderSetTest, APeerWithoutRoomIsLeftAloneForAWhileWhateverIsSent) {
  queues_[0].answer = TxResult::Blocked();
  senders_.Flush(10);
  EXPECT_EQ(senders_.NextDeadline(), IdlePolicy::kNoDeadline);
  uint32_t blocked = 0;
  senders_.VisitBlocked([&](uint32_t, const Sender&) { ++blocked; });
  EXPECT_EQ(blocked, 1U);
  Send(0, 20);
  senders_.Flush(20);
  senders_.Flush(10 + kBlockedRetry - 1);
  EXPECT_EQ(queues_[0].flushed_at.size(), 1U);
  senders_.Flush(10 + kBlockedRetry);
  EXPECT_EQ(queues_[0].flushed_at.size(), 2U);
}

TEST_F(SenderSetTest, HandedOverPacketsAreTakenABurstAtATimeUntilNoneIsLeft) {
  senders_.Flush(0);
  for (int i = 0; i < 100; ++i) {
    rte_mbuf* packet = testing::MakePacket(pool_.get(), testing::Pattern(60));
    ASSERT_EQ(ring_.Put({&packet, 1}), 1U);
  }
  EXPECT_FALSE(senders_.TakeOver(ready_, 1)) << "nobody has said so yet";
  ring_.TellOwner();
  EXPECT_TRUE(senders_.TakeOver(ready_, 1));
  EXPECT_EQ(queues_[1].sent, kMaxBurst);
  EXPECT_TRUE(senders_.TakeOver(ready_, 2)) << "what is left needs no second bell";
  EXPECT_EQ(queues_[1].sent, 100U);
  EXPECT_FALSE(senders_.TakeOver(ready_, 3));
  EXPECT_EQ(ledgers_[1].counters[ledger::TxCounter::kTakenOver].Get(), 100U);
  EXPECT_EQ(queues_[0].sent, 0U);
}

TEST_F(SenderSetTest, ABitThatNoSenderHasIsIgnored) {
  ready_.SetAll();
  EXPECT_FALSE(senders_.TakeOver(ready_, 1));
  EXPECT_FALSE(ready_.Any());
}

}  // namespace
}  // namespace wakegate
