#include "dataplane/control/worker_settings.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "gateway/knobs/knobs.h"

namespace wakegate {
namespace {

const absl::Status kForbidden = absl::PermissionDeniedError("io_uring_setup: not permitted");

TEST(QueueTuningTest, WhatHoldsForTheQueueIsWhatItsPortIsTold) {
  v1::GatewayConfig config;
  EXPECT_EQ(QueueTuningOf(config, "a", 0, false).busy_poll, BusyPollWish::kAuto);
  EXPECT_EQ(QueueTuningOf(config, "a", 0, false).busy_budget, 64U);
  for (const auto& [knob, value] : {std::pair{kBusyPollKnob, "off"},
                                    {kBusyBudgetKnob, "7"},
                                    {kTxContinueKnob, "at_once"},
                                    {kTxContinueKnob, "on_completion"}}) {
    v1::KnobSetting& setting = *config.add_knobs();
    setting.set_knob(knob);
    setting.set_value(value);
    setting.set_port("a");
    if (config.knobs_size() == 3) setting.set_queue(1);
  }
  EXPECT_EQ(QueueTuningOf(config, "a", 0, false).busy_poll, BusyPollWish::kOff);
  EXPECT_EQ(QueueTuningOf(config, "a", 0, false).busy_budget, 7U);
  EXPECT_EQ(QueueTuningOf(config, "a", 0, false).tx_continue, TxContinue::kOnCompletion);
  EXPECT_EQ(QueueTuningOf(config, "a", 1, true).tx_continue, TxContinue::kAtOnce);
}

TEST(ChooseTriggerTest, AutoTakesIoUringWhereThereIsOneAndSaysWhyNot) {
  EXPECT_EQ(ChooseTrigger("auto", absl::OkStatus()).kind, TriggerKind::kUring);
  EXPECT_EQ(ChooseTrigger("auto", absl::OkStatus()).text, "");
  EXPECT_EQ(ChooseTrigger("auto", kForbidden).kind, TriggerKind::kEpoll);
  EXPECT_EQ(ChooseTrigger("auto", kForbidden).text, "no io_uring: io_uring_setup: not permitted");
  EXPECT_EQ(ChooseTrigger("none", absl::OkStatus()).kind, TriggerKind::kNone);
  EXPECT_EQ(ChooseTrigger("signal", kForbidden).kind, TriggerKind::kSignal);
  EXPECT_EQ(ChooseTrigger("epoll", absl::OkStatus()).kind, TriggerKind::kEpoll);
}

TEST(BatchesCallsTest, AutoBatchesWhereThatIsFaster) {
  EXPECT_TRUE(BatchesCalls("auto", CallCosts{.single = 1053, .batched = 194}));
  EXPECT_FALSE(BatchesCalls("auto", CallCosts{.single = 100, .batched = 150}));
  EXPECT_TRUE(BatchesCalls("auto", CallCosts{.single = 100, .batched = 110}))
      << "plain calls are at their best where nothing comes between";
}

TEST(BatchesCallsTest, OnAndOffAreWhatTheySayWhateverItCosts) {
  EXPECT_TRUE(BatchesCalls("on", CallCosts{.single = 100, .batched = 150}));
  EXPECT_FALSE(BatchesCalls("off", CallCosts{.single = 1053, .batched = 194}));
}

TEST(BatchesCallsTest, WithoutIoUringNothingIsBatched) {
  for (const char* value : {"auto", "on", "off"}) EXPECT_FALSE(BatchesCalls(value, kForbidden));
}

}  // namespace
}  // namespace wakegate
