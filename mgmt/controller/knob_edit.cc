#include "mgmt/controller/knob_edit.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/config/defaults.h"
#include "gateway/config/quote.h"
#include "gateway/knobs/knobs.h"

namespace wakegate {
namespace {

absl::Status CheckPlace(const v1::GatewayConfig& config, const v1::SetKnobRequest& request) {
  const v1::GatewayConfig filled = WithDefaults(config);
  std::vector<std::string> names;
  for (const v1::Port& port : filled.ports()) {
    names.push_back(port.name());
    if (port.name() != request.port()) continue;
    if (!request.has_queue() || request.queue() < QueueCount(port)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("queue: ", request.queue(), ", but port ",
                                                   Quoted(port.name()), " has queues 0 to ",
                                                   QueueCount(port) - 1));
  }
  return absl::NotFoundError(
      absl::StrCat("port: no port ", Quoted(request.port()), SuggestName(request.port(), names)));
}

}  // namespace

absl::Status SetKnobIn(v1::GatewayConfig& config, const v1::SetKnobRequest& request) {
  if (absl::Status status = ValidateKnobValue(request.knob(), request.value()); !status.ok()) {
    const char* const field = FindKnob(request.knob()) == nullptr ? "knob: " : "value: ";
    return absl::Status(status.code(), absl::StrCat(field, status.message()));
  }
  if (absl::Status status = CheckPlace(config, request); !status.ok()) return status;
  auto replaced = [&](const v1::KnobSetting& setting) {
    const bool same_queue =
        !request.has_queue() || (setting.has_queue() && setting.queue() == request.queue());
    return setting.knob() == request.knob() && setting.port() == request.port() && same_queue;
  };
  auto& settings = *config.mutable_knobs();
  settings.erase(std::remove_if(settings.begin(), settings.end(), replaced), settings.end());
  if (KnobText(config, request.knob(), request.port(), request.queue()) == request.value()) {
    return absl::OkStatus();
  }
  v1::KnobSetting& setting = *settings.Add();
  setting.set_knob(request.knob());
  setting.set_port(request.port());
  if (request.has_queue()) setting.set_queue(request.queue());
  setting.set_value(request.value());
  return absl::OkStatus();
}

}  // namespace wakegate
