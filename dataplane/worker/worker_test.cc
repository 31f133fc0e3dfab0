#include "dataplane/worker/worker.h"

#include <gtest/gtest.h>
#include <rte_cycles.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "dataplane/testing/eal_for_test.h"
#include "dataplane/worker/file_queue_for_test.h"
#include "gateway/testing/eventually.h"

namespace wakegate {
namespace {

// A queue that is looked into once in each turn, and is always empty: it sends to another queue
// that has been idle for long, and counts the turns until that one has been looked into.
class HostInTheLoop {
 public:
  static constexpr uint32_t kRounds = 10;

  explicit HostInTheLoop(testing::FileQueue& other) : other_(other) {}

  RxResult Receive(Batch&) {
    ++turns_;
    if (std::exchange(looks_, other_.looks) != other_.looks) {
      if (std::exchange(sent_, false)) turns_until_look.push_back(turns_);
      done = turns_until_look.size() == kRounds;
      turns_ = 0;
    } else if (!sent_ && !done && turns_ == kLong + turns_until_look.size()) {
      other_.Arrive();
      sent_ = true;
      turns_ = 0;
    }
    return RxResult::kDrained;
  }
  bool Arm() { return true; }
  void Disarm() {}
  int wait_fd() { return -1; }

  std::atomic<bool> done = false;  // The rest is the test's then.
  std::vector<uint32_t> turns_until_look;

 private:
  // Turns; the other queue's trigger is armed by then.
  static constexpr uint32_t kLong = 200;

  testing::FileQueue& other_;
  uint32_t looks_ = 0;  // Into the other one, as of the last turn.
  uint32_t turns_ = 0;  // Since the last of them, or since a packet was sent.
  bool sent_ = false;
};

// epoll has no word in memory: a worker that has the CPU for itself asks it each 64 turns, and one
// that lets others run between its turns would leave the packet there for 64 of their time slices.
TEST(WorkerTest, OneThatYieldsAsksEpollInEachTurn) {
  const testing::PoolForTest pool;
  testing::FileQueue idle(pool.get());
  HostInTheLoop host(idle);
  ledger::RxQueueBlock ledgers[2] = {};
  ledger::WorkerBlock worker_ledger = {};
  {
    auto worker = Worker::Start(
        {.index = 0, .cpu = sched_getcpu(), .pool = pool.get(), .ledger = &worker_ledger});
    ASSERT_TRUE(worker.ok()) << worker.status();
    (*worker)->SetCpuIsShared(true);
    auto plan = std::make_unique<Plan>();
    plan->receivers.push_back({.queue = AnyRxQueue(host),
                               .ledger = &ledgers[0],
                               .burst_size = 4,
                               .trigger = TriggerKind::kNone,
                               .destination = {}});
    plan->receivers.push_back({.queue = AnyRxQueue(idle),
                               .ledger = &ledgers[1],
                               .burst_size = 4,
                               .trigger = TriggerKind::kEpoll,
                               .destination = {}});
    const std::unique_ptr<const Plan> before = (*worker)->Publish(std::move(plan));
    EXPECT_TRUE(Eventually([&] { return (*worker)->HasAdopted(); }));
    EXPECT_TRUE(Eventually([&host] { return host.done.load(); }));
    // Nor is it said to be asleep.
    const auto awake = [&counters = worker_ledger.counters] {
      return counters[ledger::WorkerCounter::kIdleCycles].Get() +
             counters[ledger::WorkerCounter::kBusyCycles].Get();
    };
    const uint64_t awake_before = awake();
    const Tsc start = rte_rdtsc();
    EXPECT_TRUE(Eventually([&] {
      const Tsc elapsed = rte_rdtsc() - start;
      return elapsed > rte_get_tsc_hz() / 100 && awake() - awake_before > elapsed / 10 * 9;
    }));
  }
  // It sends in one turn, the other queue is looked into in the next, it sees that in the third.
  EXPECT_EQ(host.turns_until_look, std::vector<uint32_t>(HostInTheLoop::kRounds, 2));
  EXPECT_EQ(ledgers[1].wakes[ledger::WakeCause::kPacket].Get(), HostInTheLoop::kRounds);
  EXPECT_GT(worker_ledger.system_calls[ledger::SystemCall::kYield].Get(), 0U);
}

}  // namespace
}  // namespace wakegate
