#include "mgmt/services/knob_list.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/config/defaults.h"
#include "gateway/config/quote.h"
#include "gateway/knobs/knobs.h"

namespace wakegate {
namespace {

absl::Status NotFound(const char* what, const std::string& name,
                      const std::vector<std::string>& known) {
  return absl::NotFoundError(
      absl::StrCat(what, ": no ", what, " ", Quoted(name), SuggestName(name, known)));
}

absl::Status CheckNames(const v1::GatewayConfig& config, const v1::ListKnobsRequest& request) {
  if (!request.knob().empty() && FindKnob(request.knob()) == nullptr) {
    std::vector<std::string> known;
    for (const v1::Knob& knob : AllKnobs()) known.push_back(knob.name());
    return NotFound("knob", request.knob(), known);
  }
  std::vector<std::string> ports;
  for (const v1::Port& port : config.ports()) {
    if (request.port().empty() || request.port() == port.name()) return absl::OkStatus();
    ports.push_back(port.name());
  }
  return request.port().empty() ? absl::OkStatus() : NotFound("port", request.port(), ports);
}

void AddValue(const v1::GatewayConfig& config, const v1::Port& port, uint32_t queue,
              v1::Knob& knob) {
  v1::KnobValue& value = *knob.add_values();
  value.set_port(port.name());
  if (knob.scope() == v1::Knob::SCOPE_QUEUE) value.set_queue(queue);
  value.set_value(KnobText(config, knob.name(), port.name(), queue));
  value.set_is_default(value.value() == knob.default_value());
}

}  // namespace

absl::StatusOr<v1::ListKnobsResponse> ListKnobs(const v1::GatewayConfig& config,
                                                const v1::ListKnobsRequest& request) {
  const v1::GatewayConfig filled = WithDefaults(config);
  if (absl::Status status = CheckNames(filled, request); !status.ok()) return status;
  v1::ListKnobsResponse response;
  for (const v1::Knob& known : AllKnobs()) {
    if (!request.knob().empty() && request.knob() != known.name()) continue;
    v1::Knob& knob = *response.add_knobs();
    knob = known;
    for (const v1::Port& port : filled.ports()) {
      if (!request.port().empty() && request.port() != port.name()) continue;
      const uint32_t places = known.scope() == v1::Knob::SCOPE_QUEUE ? QueueCount(port) : 1;
      for (uint32_t queue = 0; queue < places; ++queue) AddValue(filled, port, queue, knob);
    }
  }
  return response;
}

}  // namespace wakegate
