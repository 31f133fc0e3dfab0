#include "dataplane/worker/receive_scan.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"
#include "dataplane/worker/file_queue_for_test.h"

namespace wakegate {
namespace {

using ledger::RxCounter;

// A receive queue with a number of packets, and a word that counts those that ever came.
class CountingQueue {
 public:
  explicit CountingQueue(rte_mempool* pool) : pool_(pool) {}

  void Arrive(uint32_t packets) { produced_ += packets; }
  RxResult Receive(Batch& out) {
    ++looks;
    while (!out.full() && consumed_ != produced_) {
      out.Append(testing::MakePacket(pool_, testing::Pattern(60, consumed_++)));
    }
    return consumed_ == produced_ ? RxResult::kDrained : RxResult::kMore;
  }
  bool Arm() { return consumed_ == produced_; }
  void Disarm() {}
  int wait_fd() { return -1; }

  uint32_t looks = 0;

 protected:
  uint32_t produced_ = 0;
  uint32_t consumed_ = 0;

 private:
  rte_mempool* pool_;
};

class WordedQueue : public CountingQueue {
 public:
  using CountingQueue::CountingQueue;
  ReadyWord ready_word() const { return {&produced_, ~uint32_t{0}, consumed_}; }
};

class ReceiveScanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    plan_.receivers.push_back({.queue = AnyRxQueue(worded_),
                               .ledger = &ledgers_[0],
                               .burst_size = 8,
                               .trigger = TriggerKind::kNone,
                               .destination = {}});
    plan_.receivers.push_back({.queue = AnyRxQueue(unworded_),
                               .ledger = &ledgers_[1],
                               .burst_size = 4,
                               .trigger = TriggerKind::kNone,
                               .destination = {}});
    scan_.Adopt(plan_);
  }
  // One turn; returns the sizes of the bursts.
  std::vector<uint32_t> Turn() {
    std::vector<uint32_t> bursts;
    worked_ = scan_.Run(rte_rdtsc(), [&](const Receiver&, Batch& batch) {
      bursts.push_back(batch.size());
      for (rte_mbuf* packet : batch.packets()) rte_pktmbuf_free(packet);
    });
    return bursts;
  }

  testing::PoolForTest pool_;
  WordedQueue worded_{pool_.get()};
  CountingQueue unworded_{pool_.get()};
  ledger::RxQueueBlock ledgers_[2] = {};
  ledger::WorkerBlock worker_ledger_ = {};
  TriggerSet triggers_{64, worker_ledger_};
  Plan plan_;
  ReceiveScan scan_{triggers_};
  bool worked_ = false;
};

TEST_F(ReceiveScanTest, AnIdleQueueWithAWordIsNotTouched) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Turn().empty());
  EXPECT_FALSE(worked_);
  EXPECT_EQ(worded_.looks, 0U);
  EXPECT_EQ(unworded_.looks, 10U);
  EXPECT_TRUE(scan_.all_drained());
}

TEST_F(ReceiveScanTest, AReadyQueueIsServedABurstATurnUntilItIsEmpty) {
  worded_.Arrive(10);
  EXPECT_EQ(Turn(), (std::vector<uint32_t>{8}));
  EXPECT_TRUE(worked_);
  EXPECT_FALSE(scan_.all_drained());
  EXPECT_EQ(Turn(), (std::vector<uint32_t>{2}));
  EXPECT_TRUE(scan_.all_drained());
  EXPECT_TRUE(Turn().empty());
  EXPECT_EQ(worded_.looks, 2U);
}

TEST_F(ReceiveScanTest, EveryQueueHasItsOwnBurstSize) {
  worded_.Arrive(100);
  unworded_.Arrive(100);
  EXPECT_EQ(Turn(), (std::vector<uint32_t>{8, 4}));
}

TEST_F(ReceiveScanTest, TurnsAnsweredFromMemoryAreCountedExactly) {
  for (int i = 0; i < 5; ++i) Turn();
  worded_.Arrive(1);
  Turn();
  for (int i = 0; i < 3; ++i) Turn();
  scan_.CountAllIdleTurns();
  EXPECT_EQ(ledgers_[0].counters[RxCounter::kPollsFromMemory].Get(), 8U);
  EXPECT_EQ(ledgers_[1].counters[RxCounter::kPollsFromMemory].Get(), 0U);
  for (int i = 0; i < 2000; ++i) Turn();
  EXPECT_GE(ledgers_[0].counters[RxCounter::kPollsFromMemory].Get(), 1000U)
      << "a reader need not wait for the queue to be served";
}

// The packets of some turns.
uint32_t RunTurns(ReceiveScan& scan, int turns) {
  uint32_t packets = 0;
  for (int i = 0; i < turns; ++i) {
    scan.Run(rte_rdtsc(), [&](const Receiver&, Batch& batch) {
      packets += batch.size();
      for (rte_mbuf* packet : batch.packets()) rte_pktmbuf_free(packet);
      batch.Clear();
    });
  }
  return packets;
}

// Many queues with words, of which few have packets.
class ManyWordsTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kQueues = 100;
  // Until each quiet one has been looked at.
  static constexpr int kLap = 10;
  // Until what has no packets is quiet.
  static constexpr int kLong = 3000;

  void SetUp() override {
    for (uint32_t i = 0; i < kQueues; ++i) queues_.emplace_back(pool_.get());
    for (uint32_t i = 0; i < kQueues; ++i) {
      plan_.receivers.push_back({.queue = AnyRxQueue(queues_[i]),
                                 .ledger = &ledgers_[i],
                                 .burst_size = 4,
                                 .trigger = TriggerKind::kNone,
                                 .destination = {}});
    }
    scan_.Adopt(plan_);
  }
  uint32_t Turns(int turns) { return RunTurns(scan_, turns); }

  testing::PoolForTest pool_;
  std::deque<WordedQueue> queues_;
  std::array<ledger::RxQueueBlock, kQueues> ledgers_ = {};
  ledger::WorkerBlock worker_ledger_ = {};
  TriggerSet triggers_{64, worker_ledger_};
  Plan plan_;
  ReceiveScan scan_{triggers_};
};

TEST_F(ManyWordsTest, EachQuietQueueIsFoundWithinALap) {
  for (uint32_t i = 0; i < kQueues; ++i) {
    queues_[i * 37 % kQueues].Arrive(1);
    EXPECT_EQ(Turns(kLap), 1U) << i;
    if (i % 10 == 0) Turns(kLong);
  }
}

TEST_F(ManyWordsTest, AllAtOnceAreServed) {
  for (WordedQueue& queue : queues_) queue.Arrive(9);
  EXPECT_EQ(Turns(4 * kLap), 9 * kQueues);
  for (WordedQueue& queue : queues_) queue.Arrive(1);
  EXPECT_EQ(Turns(1), kQueues) << "all of them are lively";
}

TEST_F(ManyWordsTest, AQueueThatHadPacketsIsLookedAtInEachTurnUntilItIsQuiet) {
  queues_[99].Arrive(1);
  Turns(kLap);
  queues_[99].Arrive(1);
  EXPECT_EQ(Turns(1), 1U);
  Turns(kLong);
  queues_[99].Arrive(1);
  EXPECT_EQ(Turns(kLap), 1U);
}

TEST_F(ManyWordsTest, AWorkerThatWasWokenFindsThePacketInItsNextTurn) {
  for (uint32_t i = 0; i < kQueues; i += 7) {
    queues_[i].Arrive(1);
    scan_.Fired(i);
    EXPECT_EQ(Turns(1), 1U) << i;
    queues_[i].Arrive(1);
    scan_.LookAtAll();
    EXPECT_EQ(Turns(1), 1U) << i;
  }
}

TEST_F(ManyWordsTest, EachTurnCountsAsAnsweredFromMemory) {
  Turns(kLong);
  scan_.CountAllIdleTurns();
  for (const ledger::RxQueueBlock& ledger : ledgers_) {
    EXPECT_EQ(ledger.counters[RxCounter::kPollsFromMemory].Get(), uint64_t{kLong});
  }
}

class ParkingTest : public ::testing::TestWithParam<TriggerKind> {
 protected:
  // More turns than any trigger wants.
  static constexpr int kLong = 200;

  void SetUp() override {
    if (GetParam() != TriggerKind::kNone && triggers_.Get(GetParam()) == nullptr) {
      GTEST_SKIP() << triggers_.ring_status();
    }
    plan_.receivers.push_back({.queue = AnyRxQueue(queue_),
                               .ledger = &ledger_,
                               .burst_size = 4,
                               .trigger = GetParam(),
                               .destination = {}});
    scan_.Adopt(plan_);
  }
  uint32_t Turns(int turns) { return RunTurns(scan_, turns); }
  uint64_t Count(RxCounter counter) const { return ledger_.counters[counter].Get(); }

  testing::PoolForTest pool_;
  testing::FileQueue queue_{pool_.get()};
  ledger::RxQueueBlock ledger_ = {};
  ledger::WorkerBlock worker_ledger_ = {};
  TriggerSet triggers_{64, worker_ledger_};
  Plan plan_;
  ReceiveScan scan_{triggers_};
};

INSTANTIATE_TEST_SUITE_P(Triggers, ParkingTest,
                         ::testing::Values(TriggerKind::kUring, TriggerKind::kSignal,
                                           TriggerKind::kEpoll),
                         [](const auto& test) { return std::string(TriggerKindName(test.param)); });

TEST_P(ParkingTest, AQueueThatNeverHadAPacketLeavesTheScan) {
  Turns(kLong);
  const uint32_t looks = queue_.looks;
  EXPECT_LE(looks, 32U);
  Turns(kLong);
  EXPECT_EQ(queue_.looks, looks);
  scan_.CountAllIdleTurns();
  EXPECT_EQ(Count(RxCounter::kPollsFromMemory), 2U * kLong - looks);
  EXPECT_EQ(Count(RxCounter::kArms), 1U);
}

TEST_P(ParkingTest, APacketBringsItBackAndIdlenessSendsItAwayAgain) {
  for (uint64_t round = 1; round <= 5; ++round) {
    EXPECT_EQ(Turns(kLong), 0U);
    queue_.Arrive();
    EXPECT_EQ(Turns(kLong), 1U);
    EXPECT_EQ(ledger_.wakes[ledger::WakeCause::kPacket].Get(), round);
  }
  EXPECT_EQ(ledger_.wakes[ledger::WakeCause::kSpurious].Get(), 0U);
  EXPECT_EQ(Count(RxCounter::kArms), 6U);
}

TEST_P(ParkingTest, AFullBurstIsNoReasonToLeave) {
  for (int i = 0; i < 9; ++i) queue_.Arrive();
  EXPECT_EQ(Turns(kLong), 9U);
}

TEST_P(ParkingTest, ATurnAfterALongTimeAsksTheTriggersThatAreAskedRarely) {
  Turns(kLong);
  for (int round = 0; round < 3; ++round) {
    Turns(1 + round);
    queue_.Arrive();
    scan_.LookAtAll();
    EXPECT_EQ(Turns(1), 1U);
    Turns(kLong);
  }
}

TEST_P(ParkingTest, ABusyQueueIsNeverArmed) {
  for (int i = 0; i < 1000; ++i) {
    queue_.Arrive();
    EXPECT_EQ(Turns(2), 1U);
  }
  EXPECT_EQ(Count(RxCounter::kArms), 0U);
  EXPECT_EQ(ledger_.system_calls[ledger::SystemCall::kFcntl].Get(), 0U);
}

TEST_P(ParkingTest, ANewPlanFindsAParkedQueue) {
  Turns(kLong);
  Plan next = plan_;
  next.receivers[0].trigger = TriggerKind::kNone;
  scan_.Adopt(next);
  queue_.Arrive();
  EXPECT_EQ(Turns(1), 1U);
  scan_.Adopt(plan_);
  Turns(kLong);
  queue_.Arrive();
  EXPECT_EQ(Turns(kLong), 1U);
}

TEST_P(ParkingTest, TheCyclesOfItsPacketsAreCounted) {
  Turns(kLong);
  EXPECT_EQ(Count(RxCounter::kBusyCycles), 0U);
  queue_.Arrive();
  const Tsc start = rte_rdtsc();
  Turns(kLong);
  EXPECT_GT(Count(RxCounter::kBusyCycles), 0U);
  EXPECT_LT(Count(RxCounter::kBusyCycles), rte_rdtsc() - start);
}

}  // namespace
}  // namespace wakegate
