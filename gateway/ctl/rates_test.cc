#include "gateway/ctl/rates.h"

#include <gtest/gtest.h>

#include "gateway/ctl/snapshots_for_test.h"

namespace wakegate {
namespace {

TEST(ComputeRatesTest, QueuesAreRatedPerSecondAndPerPacket) {
  const StatsRates rates = ComputeRates(FirstSnapshot(), SecondSnapshot());
  EXPECT_DOUBLE_EQ(rates.seconds, 1.0);
  EXPECT_FALSE(rates.restarted);
  ASSERT_EQ(rates.queues.size(), 2U);
  const QueueRates& rx = rates.queues[0];
  EXPECT_EQ(rx.port, "tap0");
  EXPECT_DOUBLE_EQ(rx.packets_per_second, 100'000);
  EXPECT_DOUBLE_EQ(rx.megabits_per_second, 1000);
  EXPECT_DOUBLE_EQ(rx.polls_per_second, 3200);
  EXPECT_DOUBLE_EQ(rx.polls_from_memory_per_second, 1'234'567);
  EXPECT_DOUBLE_EQ(*rx.system_calls_per_packet, 0.031);
  ASSERT_EQ(rx.system_calls.size(), 1U);
  ASSERT_EQ(rx.wakes.size(), 2U);
  EXPECT_EQ(rx.wakes[1].name, "timer");
  EXPECT_DOUBLE_EQ(rx.wakes[1].per_second, 3);
  ASSERT_EQ(rx.others.size(), 1U);
  EXPECT_EQ(rx.others[0].name, "checksums_completed");

  const QueueRates& tx = rates.queues[1];
  EXPECT_DOUBLE_EQ(tx.drops_per_second, 50);
  ASSERT_EQ(tx.drops.size(), 2U);
  EXPECT_EQ(tx.drops[1].name, "link_down");
  EXPECT_DOUBLE_EQ(tx.drops[1].per_second, 0);
  EXPECT_EQ(tx.drops[1].total, 100U);
  EXPECT_EQ(tx.held_packets, 50U);
}

TEST(ComputeRatesTest, AWorkersTimeAddsUpToOne) {
  const WorkerRates worker = ComputeRates(FirstSnapshot(), SecondSnapshot()).workers.at(0);
  EXPECT_DOUBLE_EQ(worker.busy, 0.6);
  EXPECT_DOUBLE_EQ(worker.idle, 0.3);
  EXPECT_DOUBLE_EQ(worker.asleep, 0.1);
  EXPECT_DOUBLE_EQ(worker.iterations_per_second, 500'000);
  EXPECT_DOUBLE_EQ(worker.system_calls_per_second, 126);
  EXPECT_DOUBLE_EQ(worker.longest_iteration_microseconds, 85);
}

TEST(ComputeRatesTest, OnlyDevicesWithTroubleAreListed) {
  const StatsRates rates = ComputeRates(FirstSnapshot(), SecondSnapshot());
  ASSERT_EQ(rates.devices.size(), 1U);
  EXPECT_EQ(rates.devices[0].port, "tap0");
  ASSERT_EQ(rates.devices[0].troubles.size(), 1U);
  EXPECT_EQ(rates.devices[0].troubles[0].name, "kernel_tx_dropped");
}

TEST(ComputeRatesTest, NothingMovedMeansNoCallsPerPacket) {
  const StatsRates rates = ComputeRates(SecondSnapshot(), SecondSnapshot());
  EXPECT_DOUBLE_EQ(rates.seconds, 0);
  EXPECT_DOUBLE_EQ(rates.queues[0].packets_per_second, 0);
  EXPECT_FALSE(rates.queues[0].system_calls_per_packet.has_value());
  EXPECT_DOUBLE_EQ(rates.workers[0].busy, 0);
}

TEST(ComputeRatesTest, ANewQueueHasCountedFromZero) {
  v1::StatsSnapshot before = FirstSnapshot();
  before.clear_queues();
  EXPECT_DOUBLE_EQ(ComputeRates(before, SecondSnapshot()).queues[0].packets_per_second, 101'000);
}

TEST(ComputeRatesTest, AQueueThatWasMadeAnewHasCountedFromZero) {
  v1::StatsSnapshot before = SecondSnapshot();
  v1::StatsSnapshot after = FirstSnapshot();
  after.mutable_time()->set_seconds(before.time().seconds() + 2);
  EXPECT_DOUBLE_EQ(ComputeRates(before, after).queues[0].packets_per_second, 500);
}

TEST(ComputeRatesTest, AfterARestartEverythingHasCountedFromZero) {
  v1::StatsSnapshot after = SecondSnapshot();
  after.set_boot_id("two");
  const StatsRates rates = ComputeRates(FirstSnapshot(), after);
  EXPECT_TRUE(rates.restarted);
  EXPECT_DOUBLE_EQ(rates.queues[0].packets_per_second, 101'000);
}

}  // namespace
}  // namespace wakegate
