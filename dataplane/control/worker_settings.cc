#include "dataplane/control/worker_settings.h"

#include <rte_cycles.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
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

}  // namespace

IdleSettings IdleSettingsOf(const v1::GatewayConfig& config, uint32_t worker) {
  return {.mode = ToIdleMode(WorkerKnobText(config, kIdlePolicyKnob, worker)),
          .spin = ToCycles(WorkerKnobDuration(config, kIdleSpinKnob, worker)),
          .longest_sleep = ToCycles(WorkerKnobDuration(config, kIdleLongestSleepKnob, worker)),
          .shortest_sleep = ToCycles(kShortestSleep)};
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

absl::Status CheckWorkers(const v1::GatewayConfig& config, const WorkerPool& workers) {
  if (absl::Status status = ValidateWorkers(config, workers.size()); !status.ok()) return status;
  // Workers are alike: what the kernel denies to one it denies to all.
  const absl::Status& ring_status = workers.worker(0).ring_status();
  for (const v1::KnobSetting& setting : config.knobs()) {
    if (setting.knob() != kRxTriggerKnob || setting.value() != "io_uring" || ring_status.ok()) {
      continue;
    }
    return absl::FailedPreconditionError(absl::StrCat("knob rx_trigger of port ", setting.port(),
                                                      ": ", std::string(ring_status.message()),
                                                      "; auto takes the best there is"));
  }
  return absl::OkStatus();
}

}  // namespace wakegate
