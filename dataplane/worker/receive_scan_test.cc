#include "dataplane/worker/receive_scan.h"

#include <gtest/gtest.h>

#include <vector>

#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"

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
    plan_.receivers.push_back(
        {.queue = AnyRxQueue(worded_), .ledger = &ledgers_[0], .burst_size = 8, .destination = {}});
    plan_.receivers.push_back({.queue = AnyRxQueue(unworded_),
                               .ledger = &ledgers_[1],
                               .burst_size = 4,
                               .destination = {}});
    scan_.Adopt(plan_);
  }
  // One turn; returns the sizes of the bursts.
  std::vector<uint32_t> Turn() {
    std::vector<uint32_t> bursts;
    worked_ = scan_.Run([&](const Receiver&, Batch& batch) {
      bursts.push_back(batch.size());
      for (rte_mbuf* packet : batch.packets()) rte_pktmbuf_free(packet);
    });
    return bursts;
  }

  testing::PoolForTest pool_;
  WordedQueue worded_{pool_.get()};
  CountingQueue unworded_{pool_.get()};
  ledger::RxQueueBlock ledgers_[2] = {};
  Plan plan_;
  ReceiveScan scan_;
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

}  // namespace
}  // namespace wakegate
