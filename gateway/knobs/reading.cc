// What holds at a place: the half of knobs.h that reads a configuration.
#include "absl/strings/numbers.h"
#include "gateway/knobs/knobs.h"
#include "gateway/knobs/value.h"

namespace wakegate {
namespace {

// The setting of all places gives way to that of one.
class Choice {
 public:
  void Offer(const v1::KnobSetting& setting, bool is_of_one) {
    if (is_of_one || best_ == nullptr) best_ = &setting;
  }
  // Or the knob's default.
  std::string Text(std::string_view knob) const {
    const v1::Knob* found = FindKnob(knob);
    if (found == nullptr) return "";
    return CanonicalKnobValue(*found, best_ == nullptr ? found->default_value() : best_->value());
  }

 private:
  const v1::KnobSetting* best_ = nullptr;
};

}  // namespace

std::string KnobText(const v1::GatewayConfig& config, std::string_view knob, std::string_view port,
                     uint32_t queue) {
  Choice choice;
  for (const v1::KnobSetting& setting : config.knobs()) {
    if (setting.knob() != knob || setting.port() != port) continue;
    if (!setting.has_queue() || setting.queue() == queue) {
      choice.Offer(setting, setting.has_queue());
    }
  }
  return choice.Text(knob);
}

int64_t KnobInteger(const v1::GatewayConfig& config, std::string_view knob, std::string_view port,
                    uint32_t queue) {
  int64_t value = 0;
  // Succeeds: the configuration was validated.
  (void)absl::SimpleAtoi(KnobText(config, knob, port, queue), &value);
  return value;
}

absl::Duration KnobDuration(const v1::GatewayConfig& config, std::string_view knob,
                            std::string_view port, uint32_t queue) {
  absl::Duration value;
  // Succeeds, as above.
  (void)absl::ParseDuration(KnobText(config, knob, port, queue), &value);
  return value;
}

std::optional<uint32_t> WorkerOfQueue(const v1::GatewayConfig& config, std::string_view port,
                                      uint32_t queue) {
  uint32_t worker = 0;
  const bool is_number = absl::SimpleAtoi(KnobText(config, kWorkerKnob, port, queue), &worker);
  return is_number ? std::optional(worker) : std::nullopt;
}

std::string WorkerKnobText(const v1::GatewayConfig& config, std::string_view knob,
                           uint32_t worker) {
  Choice choice;
  for (const v1::KnobSetting& setting : config.knobs()) {
    if (setting.knob() != knob) continue;
    if (!setting.has_worker() || setting.worker() == worker) {
      choice.Offer(setting, setting.has_worker());
    }
  }
  return choice.Text(knob);
}

absl::Duration WorkerKnobDuration(const v1::GatewayConfig& config, std::string_view knob,
                                  uint32_t worker) {
  absl::Duration value;
  // Succeeds: the configuration was validated.
  (void)absl::ParseDuration(WorkerKnobText(config, knob, worker), &value);
  return value;
}

std::string KnobTextAt(const v1::GatewayConfig& config, const v1::KnobSetting& place) {
  const v1::Knob* knob = FindKnob(place.knob());
  return knob != nullptr && knob->scope() == v1::Knob::SCOPE_WORKER
             ? WorkerKnobText(config, place.knob(), place.worker())
             : KnobText(config, place.knob(), place.port(), place.queue());
}

}  // namespace wakegate
