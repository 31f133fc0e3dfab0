#include "gateway/knobs/knobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "gateway/knobs/value.h"

namespace wakegate {
namespace {

void AddSetting(v1::GatewayConfig& config, const char* port, int queue, const char* value) {
  v1::KnobSetting& setting = *config.add_knobs();
  setting.set_knob(kBurstSizeKnob);
  setting.set_port(port);
  if (queue >= 0) setting.set_queue(queue);
  setting.set_value(value);
}

TEST(KnobsTest, EachIsWholeAndTheyAreSorted) {
  const auto knobs = AllKnobs();
  EXPECT_TRUE(std::is_sorted(knobs.begin(), knobs.end(),
                             [](const auto& a, const auto& b) { return a.name() < b.name(); }));
  for (const v1::Knob& knob : knobs) {
    EXPECT_TRUE(ValidateKnobValue(knob.name(), knob.default_value()).ok()) << knob.name();
    EXPECT_EQ(CanonicalKnobValue(knob, knob.default_value()), knob.default_value());
    EXPECT_NE(knob.scope(), v1::Knob::SCOPE_UNSPECIFIED) << knob.name();
    EXPECT_NE(knob.effect(), v1::Knob::EFFECT_UNSPECIFIED) << knob.name();
    EXPECT_FALSE(knob.help().empty()) << knob.name();
    EXPECT_EQ(knob.values_size(), 0) << knob.name();
    EXPECT_EQ(FindKnob(knob.name()), &knob);
  }
  EXPECT_EQ(FindKnob("none"), nullptr);
}

TEST(KnobsTest, ValuesOutsideTheRangeAreRefused) {
  EXPECT_TRUE(ValidateKnobValue(kBurstSizeKnob, "1").ok());
  EXPECT_TRUE(ValidateKnobValue(kBurstSizeKnob, "64").ok());
  EXPECT_EQ(ValidateKnobValue(kBurstSizeKnob, "0"),
            absl::InvalidArgumentError("\"0\" is not a whole number from 1 to 64 packets"));
  for (const char* value :
       {"65", "-1", "", "x", "1.5", "032", "+1", " 1", "99999999999999999999"}) {
    EXPECT_FALSE(ValidateKnobValue(kBurstSizeKnob, value).ok()) << value;
  }
}

TEST(KnobsTest, AnUnknownKnobIsNotFound) {
  EXPECT_EQ(
      ValidateKnobValue("burst", "1"),
      absl::NotFoundError(
          "unknown knob \"burst\"; known: burst_size, busy_budget, busy_poll, busy_poll_time, "
          "call_batching, cpu_dma_latency, gro_flush_timeout, idle_longest_sleep, "
          "idle_policy, idle_spin, napi_defer_hard_irqs, rx_trigger, tx_continue, "
          "worker"));
}

TEST(KnobsTest, AQueuesSettingGoesBeforeItsPortsAndThatBeforeTheDefault) {
  v1::GatewayConfig config;
  EXPECT_EQ(KnobText(config, kBurstSizeKnob, "a", 0), "32");
  AddSetting(config, "a", 1, "8");
  AddSetting(config, "a", -1, "16");
  EXPECT_EQ(KnobText(config, kBurstSizeKnob, "a", 0), "16");
  EXPECT_EQ(KnobInteger(config, kBurstSizeKnob, "a", 1), 8);
  EXPECT_EQ(KnobInteger(config, kBurstSizeKnob, "b", 1), 32);
}

v1::KnobSetting Setting(const char* knob, const char* value) {
  v1::KnobSetting setting;
  setting.set_knob(knob);
  setting.set_value(value);
  return setting;
}

TEST(KnobsTest, AWorkersSettingGoesBeforeThatOfAllAndThatBeforeTheDefault) {
  v1::GatewayConfig config;
  EXPECT_EQ(WorkerKnobText(config, kIdlePolicyKnob, 0), "adaptive");
  EXPECT_EQ(WorkerKnobDuration(config, kIdleSpinKnob, 0), absl::Microseconds(50));
  v1::KnobSetting& of_one = *config.add_knobs();
  of_one = Setting(kIdlePolicyKnob, "interrupt");
  of_one.set_worker(1);
  *config.add_knobs() = Setting(kIdlePolicyKnob, "poll");
  *config.add_knobs() = Setting(kIdleSpinKnob, "0.2ms");
  EXPECT_EQ(WorkerKnobText(config, kIdlePolicyKnob, 0), "poll");
  EXPECT_EQ(WorkerKnobText(config, kIdlePolicyKnob, 1), "interrupt");
  EXPECT_EQ(WorkerKnobDuration(config, kIdleSpinKnob, 1), absl::Microseconds(200));
  EXPECT_EQ(KnobTextAt(config, of_one), "interrupt");
}

TEST(KnobsTest, AQueueIsGivenToAWorkerOrToWhicheverSuits) {
  v1::GatewayConfig config;
  EXPECT_EQ(WorkerOfQueue(config, "a", 0), std::nullopt);
  v1::KnobSetting& setting = *config.add_knobs();
  setting = Setting(kWorkerKnob, "0");
  setting.set_port("a");
  EXPECT_EQ(WorkerOfQueue(config, "a", 0), 0U);
  EXPECT_EQ(WorkerOfQueue(config, "b", 0), std::nullopt);
}

TEST(KnobsTest, SomeAreOfOnePortKindAlone) {
  EXPECT_TRUE(IsForPortKind(*FindKnob(kRxTriggerKnob), "tap"));
  EXPECT_FALSE(IsForPortKind(*FindKnob(kRxTriggerKnob), "memory"));
  EXPECT_TRUE(IsForPortKind(*FindKnob(kBurstSizeKnob), "memory"));
  EXPECT_FALSE(IsForPortKind(*FindKnob(kIdlePolicyKnob), "tap"));
}

TEST(CheckKnobValueTest, NumbersMayHaveWordsBesideThem) {
  const v1::Knob& knob = *FindKnob(kWorkerKnob);
  EXPECT_TRUE(CheckKnobValue(knob, "auto").ok());
  EXPECT_TRUE(CheckKnobValue(knob, "127").ok());
  EXPECT_EQ(CheckKnobValue(knob, "128"),
            absl::InvalidArgumentError("\"128\" is not a whole number from 0 to 127, or auto"));
}

TEST(CanonicalKnobValueTest, EqualTimesAreEqualTexts) {
  const v1::Knob& spin = *FindKnob(kIdleSpinKnob);
  EXPECT_EQ(CanonicalKnobValue(spin, "0.05ms"), "50us");
  EXPECT_EQ(CanonicalKnobValue(spin, "50000ns"), "50us");
  EXPECT_EQ(CanonicalKnobValue(spin, "0us"), "0");
  EXPECT_EQ(CanonicalKnobValue(*FindKnob(kIdlePolicyKnob), "poll"), "poll");
}

TEST(CheckKnobValueTest, DurationsHaveAUnitAndARange) {
  v1::Knob knob;
  knob.set_type(v1::Knob::TYPE_DURATION);
  knob.set_minimum("0");
  knob.set_maximum("1ms");
  EXPECT_TRUE(CheckKnobValue(knob, "50us").ok());
  EXPECT_TRUE(CheckKnobValue(knob, "0").ok());
  EXPECT_EQ(CheckKnobValue(knob, "50"),
            absl::InvalidArgumentError("\"50\" is not a time from 0 to 1ms, such as \"50us\""));
  EXPECT_FALSE(CheckKnobValue(knob, "1001us").ok());
  EXPECT_FALSE(CheckKnobValue(knob, "-1us").ok());
}

TEST(CheckKnobValueTest, ChoicesAreListed) {
  v1::Knob knob;
  knob.set_type(v1::Knob::TYPE_CHOICE);
  knob.add_choices("auto");
  knob.add_choices("never");
  EXPECT_TRUE(CheckKnobValue(knob, "never").ok());
  EXPECT_EQ(CheckKnobValue(knob, "no"),
            absl::InvalidArgumentError("\"no\" is not one of auto, never"));
}

}  // namespace
}  // namespace wakegate
