#include "mgmt/controller/knob_edit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gateway/config/knob_place.h"
#include "gateway/knobs/knobs.h"
#include "gateway/knobs/value.h"

namespace wakegate {
namespace {

v1::KnobSetting SettingOf(const v1::SetKnobRequest& request) {
  v1::KnobSetting setting;
  setting.set_knob(request.knob());
  setting.set_port(request.port());
  if (request.has_queue()) setting.set_queue(request.queue());
  if (request.has_worker()) setting.set_worker(request.worker());
  setting.set_value(request.value());
  return setting;
}

absl::Status Check(const v1::GatewayConfig& config, const v1::KnobSetting& setting,
                   uint32_t workers) {
  if (absl::Status status = ValidateKnobValue(setting.knob(), setting.value()); !status.ok()) {
    const char* const field = FindKnob(setting.knob()) == nullptr ? "knob: " : "value: ";
    return absl::Status(status.code(), absl::StrCat(field, status.message()));
  }
  if (absl::Status status = CheckKnobPlace(config, setting); !status.ok()) return status;
  return workers == 0 ? absl::OkStatus() : CheckKnobWorker(setting, workers);
}

// Whether `setting` is at one of the places that `wanted` is for.
bool IsAt(const v1::KnobSetting& setting, const v1::KnobSetting& wanted) {
  return setting.knob() == wanted.knob() && setting.port() == wanted.port() &&
         (!wanted.has_queue() || (setting.has_queue() && setting.queue() == wanted.queue())) &&
         (!wanted.has_worker() || (setting.has_worker() && setting.worker() == wanted.worker()));
}

}  // namespace

absl::Status SetKnobIn(v1::GatewayConfig& config, const v1::SetKnobRequest& request,
                       uint32_t workers) {
  v1::KnobSetting wanted = SettingOf(request);
  if (absl::Status status = Check(config, wanted, workers); !status.ok()) return status;
  wanted.set_value(CanonicalKnobValue(*FindKnob(wanted.knob()), wanted.value()));
  auto& settings = *config.mutable_knobs();
  settings.erase(std::remove_if(settings.begin(), settings.end(),
                                [&](const auto& setting) { return IsAt(setting, wanted); }),
                 settings.end());
  if (KnobTextAt(config, wanted) != wanted.value()) *settings.Add() = wanted;
  return absl::OkStatus();
}

}  // namespace wakegate
