#include "gateway/knobs/knobs.h"

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gateway/config/quote.h"
#include "gateway/knobs/value.h"

namespace wakegate {
namespace {

v1::Knob IntegerKnob(const char* name, const char* unit, int64_t minimum, int64_t maximum,
                     int64_t default_value, v1::Knob::Scope scope, v1::Knob::Effect effect,
                     const char* help) {
  v1::Knob knob;
  knob.set_name(name);
  knob.set_type(v1::Knob::TYPE_INTEGER);
  knob.set_unit(unit);
  knob.set_minimum(absl::StrCat(minimum));
  knob.set_maximum(absl::StrCat(maximum));
  knob.set_default_value(absl::StrCat(default_value));
  knob.set_scope(scope);
  knob.set_effect(effect);
  knob.set_help(help);
  return knob;
}

std::vector<v1::Knob> MakeKnobs() {
  return {
      IntegerKnob(kBurstSizeKnob, "packets", 1, 64, 32, v1::Knob::SCOPE_QUEUE,
                  v1::Knob::EFFECT_LIVE,
                  "Packets that the worker takes from the queue at a time. More of them share the "
                  "cost of a turn and of a kick; fewer leave the other queues less long without "
                  "a turn."),
  };
}

}  // namespace

std::span<const v1::Knob> AllKnobs() {
  static const auto& knobs = *new std::vector<v1::Knob>(MakeKnobs());
  return knobs;
}

const v1::Knob* FindKnob(std::string_view name) {
  const std::span<const v1::Knob> knobs = AllKnobs();
  const auto found = std::find_if(knobs.begin(), knobs.end(),
                                  [&](const v1::Knob& knob) { return knob.name() == name; });
  return found == knobs.end() ? nullptr : &*found;
}

absl::Status ValidateKnobValue(std::string_view knob, std::string_view value) {
  const v1::Knob* found = FindKnob(knob);
  if (found != nullptr) return CheckKnobValue(*found, value);
  std::vector<std::string> known;
  for (const v1::Knob& candidate : AllKnobs()) known.push_back(candidate.name());
  return absl::NotFoundError(absl::StrCat("unknown knob ", Quoted(knob), SuggestName(knob, known)));
}

std::string KnobText(const v1::GatewayConfig& config, std::string_view knob, std::string_view port,
                     uint32_t queue) {
  const v1::KnobSetting* of_port = nullptr;
  for (const v1::KnobSetting& setting : config.knobs()) {
    if (setting.knob() != knob || setting.port() != port) continue;
    if (!setting.has_queue()) {
      of_port = &setting;
    } else if (setting.queue() == queue) {
      return setting.value();
    }
  }
  if (of_port != nullptr) return of_port->value();
  const v1::Knob* found = FindKnob(knob);
  return found == nullptr ? "" : found->default_value();
}

int64_t KnobInteger(const v1::GatewayConfig& config, std::string_view knob, std::string_view port,
                    uint32_t queue) {
  int64_t value = 0;
  // Succeeds: the configuration was validated.
  (void)absl::SimpleAtoi(KnobText(config, knob, port, queue), &value);
  return value;
}

}  // namespace wakegate
