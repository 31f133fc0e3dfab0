#include "gateway/ctl/worker_view.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_split.h"
#include "gateway/config/text.h"
#include "gateway/ctl/difference.h"
#include "gateway/ctl/snapshots_for_test.h"
#include "gateway/ctl/table.h"
#include "gateway/ctl/worker_report.h"

namespace wakegate {
namespace {

template <class Message>
Message Parsed(const char* yaml) {
  Message message;
  const absl::Status status = ParseMessage(yaml, "test", message);
  EXPECT_TRUE(status.ok()) << status;
  return message;
}

v1::DataplaneStatus Dataplane() {
  return Parsed<v1::DataplaneStatus>(
      "workers: [{worker: 0, cpu: 2, idle_policy: adaptive}, {worker: 1, cpu: 3, "
      "idle_policy: poll, shares_core: true, io_uring_text: disabled by sysctl}]");
}

v1::ListPortsResponse Ports() {
  return Parsed<v1::ListPortsResponse>(
      "ports: [{name: tap0, queues: [{queue: 0, rx_trigger: io_uring}]}, {name: veth0}]");
}

// As SnapshotsForTest, with what only reports show.
v1::StatsSnapshot Earlier() {
  v1::StatsSnapshot snapshot = FirstSnapshot();
  (*snapshot.mutable_queues(0)->mutable_counters())["busy_cycles"] = 1000;
  (*snapshot.mutable_workers(0)->mutable_wakes_by_cause())["packet"] = 20;
  return snapshot;
}

v1::StatsSnapshot Later() {
  v1::StatsSnapshot snapshot = SecondSnapshot();
  auto& tap = *snapshot.mutable_queues(0)->mutable_counters();
  tap["busy_cycles"] = 400'001'000;
  tap["arm_races"] = 4;
  return snapshot;
}

ctl::v1::WorkersReport Report() {
  return MakeWorkersReport(Earlier(), Later(), Dataplane(), Ports());
}

void ExpectFitsTheTerminal(const std::string& text) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(DisplayWidth({line.data(), line.size()}), 100U) << line;
  }
}

TEST(DifferenceTest, CountersAreSubtractedAndLevelsAreNot) {
  v1::StatsSnapshot before = SecondSnapshot();
  v1::StatsSnapshot after = SecondSnapshot();
  (*after.mutable_queues(0)->mutable_wakes_by_cause())["packet"] += 7;
  const v1::StatsSnapshot grown = Difference(before, after);
  EXPECT_EQ(grown.queues(0).counters().at("packets"), 0U);
  EXPECT_EQ(grown.queues(0).wakes_by_cause().at("packet"), 7U);
  EXPECT_EQ(grown.queues(1).counters().at("held_packets"), 50U);
  EXPECT_EQ(grown.workers(0).counters().at("longest_iteration_cycles"), 170'000U);
}

TEST(DifferenceTest, AfterARestartEverythingHasCountedFromZero) {
  v1::StatsSnapshot after = SecondSnapshot();
  after.set_boot_id("two");
  EXPECT_EQ(Difference(FirstSnapshot(), after).queues(0).counters().at("packets"), 101'000U);
}

TEST(WorkersReportTest, CostsAreOfTheWorkersTime) {
  const ctl::v1::WorkersReport report = Report();
  ASSERT_EQ(report.workers_size(), 2);
  const ctl::v1::WorkerReport& worker = report.workers(0);
  EXPECT_DOUBLE_EQ(worker.busy(), 0.6);
  ASSERT_EQ(worker.queues_size(), 2);
  EXPECT_DOUBLE_EQ(worker.queues(0).cycles_per_packet(), 4000);
  EXPECT_DOUBLE_EQ(worker.queues(0).share(), 0.2);
  EXPECT_FALSE(worker.queues(1).has_share());
  EXPECT_EQ(report.workers(1).queues_size(), 0);
}

TEST(WorkersReportTest, AMovedQueueNamesTheWorkerThatHadIt) {
  v1::StatsSnapshot before = Earlier();
  before.mutable_queues(0)->set_worker(1);
  const auto report = MakeWorkerExplanation(before, Later(), Dataplane(), Ports(), 0);
  EXPECT_EQ(report.workers(0).queues(0).moved_from(), 1U);
  EXPECT_EQ(report.before().queues_size(), 2);
  EXPECT_NE(FormatExplanation(report).find("tap0 queue 0 came from worker 1"), std::string::npos);
}

TEST(WorkersReportTest, TheDifferencesOfItsSnapshotsAreItsCounts) {
  const auto report = MakeWorkerExplanation(Earlier(), Later(), Dataplane(), Ports(), 0);
  ASSERT_EQ(report.workers_size(), 1);
  const v1::StatsSnapshot grown = Difference(report.before(), report.after());
  EXPECT_EQ(grown.workers(0).DebugString(), report.workers(0).counts().DebugString());
  EXPECT_EQ(grown.queues(0).DebugString(), report.workers(0).queues(0).counts().DebugString());
  EXPECT_EQ(MakeWorkerExplanation(Earlier(), Later(), Dataplane(), Ports(), 2).workers_size(), 0);
}

TEST(FormatWorkersTest, LooksLikeThis) {
  const std::string text = FormatWorkers(Report());
  ExpectFitsTheTerminal(text);
  EXPECT_EQ(
      text,
      R"(WORKER  CPU  POLICY     BUSY   IDLE  ASLEEP  SLEEPS/S  TURNS/S  SYSCALLS/S  LONGEST TURN
0         2  adaptive  60.0%  30.0%   10.0%       123     500k        6351         85 µs
    woken by: packet 100/s, spurious 3.0/s
    QUEUE           TRIGGER   PACKETS/S  SYSCALLS/S  CYCLES/PACKET  OF WORKER
    tap0/0 receive  io_uring       100k        3100           4000      20.0%
    veth0/0 send    -             99.9k        3125              -          -

WORKER  CPU  POLICY  BUSY  IDLE  ASLEEP  SLEEPS/S  TURNS/S  SYSCALLS/S  LONGEST TURN
1         3  poll    0.0%  0.0%  100.0%         0        0           0          0 µs
    shares its CPU: blocks or yields rather than spins
    no io_uring: disabled by sysctl
)");
}

TEST(FormatExplanationTest, LooksLikeThis) {
  const std::string text =
      FormatExplanation(MakeWorkerExplanation(Earlier(), Later(), Dataplane(), Ports(), 0));
  ExpectFitsTheTerminal(text);
  EXPECT_EQ(text,
            R"(Worker 0 on CPU 2, idle_policy adaptive, over 1.0 s

It was busy 60.0% of its time, looked in vain 30.0%, and was asleep 10.0%. It turned 500000 times
(500k/s).
It slept 123 times (123/s), for 813 µs on average.

What woke it, most often first:
  CAUSE     COUNT  PER S
  packet      100    100  A packet arrived
    queues: tap0 queue 0 120
  spurious      3    3.0  Nothing was found

It looked into its receive queues 3200 times (3200/s), 12 of them in vain. More looks were answered
from memory, without a system call: 1234567 times (1.23M/s).
4 times (4.0/s) a packet came just when it was about to sleep: tap0 queue 0 4.
It woke the other sides of its send queues 3125 times (3125/s): veth0 queue 0 (send) 3125. 7 bursts
found them awake, and 10 kicks were saved by waiting.
It made 6351 system calls (6351/s, 0.064 for each of the 100000 packets it received): send 3125,
read 3100, poll 123, eventfd 3.
)");
}

TEST(FormatExplanationTest, WhyItNeverSleptIsSaid) {
  v1::StatsSnapshot after = Later();
  (*after.mutable_workers(0)->mutable_counters())["sleeps"] = 0;
  v1::DataplaneStatus dataplane = Dataplane();
  const auto text = [&] {
    return FormatExplanation(MakeWorkerExplanation(Earlier(), after, dataplane, Ports(), 0));
  };
  EXPECT_NE(text().find("It did not go to sleep: there was always something to do."),
            std::string::npos);
  dataplane.mutable_workers(0)->set_idle_policy("poll");
  EXPECT_NE(text().find("idle_policy poll never sleeps"), std::string::npos);
  dataplane.mutable_workers(0)->add_sleepless_ports("tap3");
  EXPECT_NE(text().find("these ports cannot wake it: tap3"), std::string::npos);
}

}  // namespace
}  // namespace wakegate
