#include "dataplane/control/worker_settings.h"

#include <rte_cycles.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gateway/config/knob_place.h"
#include "gateway/config/validate.h"
#include "gateway/knobs/knobs.h"

namespace wakegate {
namespace {

// A sleep of 50 µs takes 65, and the wake itself some 20 more.
constexpr absl::Duration kShortestSleep = absl::Microseconds(100);

Tsc ToCycles(absl::Duration time) {
  return static_cast<Tsc>(absl::ToDoubleSeconds(time) * static_cast<double>(rte_get_tsc_hz()));
}

IdleMode ToIdleMode(std::string_view text) {
  if (text == "poll") return IdleMode::kPoll;
  if (text == "interrupt") return IdleMode::kInterrupt;
  return IdleMode::kAdaptive;
}

BusyPollWish ToBusyPollWish(std::string_view text) {
  if (text == "off") return BusyPollWish::kOff;
  if (text == "on") return BusyPollWish::kOn;
  return BusyPollWish::kAuto;
}

TxContinue ToTxContinue(std::string_view text) {
  return text == "at_once" ? TxContinue::kAtOnce : TxContinue::kOnCompletion;
}

}  // namespace

IdleSettings IdleSettingsOf(const v1::GatewayConfig& config, uint32_t worker) {
  return {.mode = ToIdleMode(WorkerKnobText(config, kIdlePolicyKnob, worker)),
          .spin = ToCycles(WorkerKnobDuration(config, kIdleSpinKnob, worker)),
          .longest_sleep = ToCycles(WorkerKnobDuration(config, kIdleLongestSleepKnob, worker)),
          .shortest_sleep = ToCycles(kShortestSleep)};
}

QueueTuning QueueTuningOf(const v1::GatewayConfig& config, std::string_view port, uint32_t queue,
                          bool cpu_is_shared) {
  const auto number = [&](const char* knob) {
    return static_cast<uint32_t>(KnobInteger(config, knob, port, queue));
  };
  const auto time = [&](const char* knob) {
    return absl::ToChronoNanoseconds(KnobDuration(config, knob, port, queue));
  };
  return {.busy_poll = ToBusyPollWish(KnobText(config, kBusyPollKnob, port, queue)),
          .busy_poll_time =
              std::chrono::duration_cast<std::chrono::microseconds>(time(kBusyPollTimeKnob)),
          .busy_budget = number(kBusyBudgetKnob),
          .napi_defer_hard_irqs = number(kNapiDeferHardIrqsKnob),
          .gro_flush_timeout = time(kGroFlushTimeoutKnob),
          .cpu_is_shared = cpu_is_shared,
          .tx_continue = ToTxContinue(KnobText(config, kTxContinueKnob, port, queue))};
}

bool WantsLowCpuLatency(const v1::GatewayConfig& config, uint32_t workers) {
  for (uint32_t worker = 0; worker < workers; ++worker) {
    if (WorkerKnobText(config, kCpuDmaLatencyKnob, worker) == "on") return true;
  }
  return false;
}

TriggerChoice ChooseTrigger(std::string_view knob_value, const absl::Status& ring_status) {
  if (knob_value == "none") return {TriggerKind::kNone, ""};
  if (knob_value == "signal") return {TriggerKind::kSignal, ""};
  if (knob_value == "epoll") return {TriggerKind::kEpoll, ""};
  if (ring_status.ok()) return {TriggerKind::kUring, ""};
  return {TriggerKind::kEpoll, absl::StrCat("no io_uring: ", std::string(ring_status.message()))};
}

bool BatchesCalls(std::string_view knob_value, const absl::StatusOr<CallCosts>& costs) {
  // Measured are calls and nothing else, where plain ones are at their best: beside what is done
  // with each packet, caches and branch predictors know the kernel's code less well each time.
  // Where 461 ns stood against 481, batches took 0.41 Mpps from tap to tap and plain calls 0.30.
  constexpr double kAdvantageOfPlain = 1.2;
  if (!costs.ok() || knob_value == "off") return false;
  return knob_value == "on" || costs->batched < kAdvantageOfPlain * costs->single;
}

absl::Status CheckWorkers(const v1::GatewayConfig& config, const WorkerPool& workers) {
  if (absl::Status status = ValidateWorkers(config, workers.size()); !status.ok()) return status;
  // Workers are alike: what the kernel denies to one it denies to all.
  const Worker& worker = workers.worker(0);
  for (const v1::KnobSetting& setting : config.knobs()) {
    const bool wants_trigger = setting.knob() == kRxTriggerKnob && setting.value() == "io_uring";
    const bool wants_batches = setting.knob() == kCallBatchingKnob && setting.value() == "on";
    const absl::Status status = wants_trigger   ? worker.ring_status()
                                : wants_batches ? worker.call_costs().status()
                                                : absl::OkStatus();
    if (status.ok()) continue;
    return absl::FailedPreconditionError(absl::StrCat("knob ", KnobPlaceName(setting), ": ",
                                                      std::string(status.message()),
                                                      "; auto takes the best there is"));
  }
  return absl::OkStatus();
}

}  // namespace wakegate
