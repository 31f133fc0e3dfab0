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

absl::Status CheckNames(const v1::GatewayConfig& config, uint32_t workers,
                        const v1::ListKnobsRequest& request) {
  if (!request.knob().empty() && FindKnob(request.knob()) == nullptr) {
    std::vector<std::string> known;
    for (const v1::Knob& knob : AllKnobs()) known.push_back(knob.name());
    return NotFound("knob", request.knob(), known);
  }
  if (request.has_worker() && request.worker() >= workers) {
    return absl::NotFoundError(absl::StrCat("worker: no worker ", request.worker(),
                                            "; the data plane has ", workers, " of them"));
  }
  std::vector<std::string> ports;
  for (const v1::Port& port : config.ports()) {
    if (request.port().empty() || request.port() == port.name()) return absl::OkStatus();
    ports.push_back(port.name());
  }
  return request.port().empty() ? absl::OkStatus() : NotFound("port", request.port(), ports);
}

void AddValue(const v1::GatewayConfig& config, const v1::KnobSetting& place, v1::Knob& knob) {
  v1::KnobValue& value = *knob.add_values();
  value.set_port(place.port());
  if (place.has_queue()) value.set_queue(place.queue());
  if (place.has_worker()) value.set_worker(place.worker());
  value.set_value(KnobTextAt(config, place));
  value.set_is_default(value.value() == knob.default_value());
}

void AddValuesOfWorkers(const v1::GatewayConfig& config, uint32_t workers,
                        const v1::ListKnobsRequest& request, v1::Knob& knob) {
  if (!request.port().empty()) return;
  v1::KnobSetting place;
  place.set_knob(knob.name());
  for (uint32_t worker = 0; worker < workers; ++worker) {
    if (request.has_worker() && request.worker() != worker) continue;
    place.set_worker(worker);
    AddValue(config, place, knob);
  }
}

void AddValuesOfPorts(const v1::GatewayConfig& config, const v1::ListKnobsRequest& request,
                      v1::Knob& knob) {
  if (request.has_worker()) return;
  v1::KnobSetting place;
  place.set_knob(knob.name());
  for (const v1::Port& port : config.ports()) {
    if (!request.port().empty() && request.port() != port.name()) continue;
    if (!IsForPortKind(knob, KindName(port))) continue;
    place.set_port(port.name());
    const bool of_queues = knob.scope() == v1::Knob::SCOPE_QUEUE;
    const uint32_t places = of_queues ? QueueCount(port) : 1;
    for (uint32_t queue = 0; queue < places; ++queue) {
      if (of_queues) place.set_queue(queue);
      AddValue(config, place, knob);
    }
    place.clear_queue();
  }
}

}  // namespace

absl::StatusOr<v1::ListKnobsResponse> ListKnobs(const v1::GatewayConfig& config, uint32_t workers,
                                                const v1::ListKnobsRequest& request) {
  const v1::GatewayConfig filled = WithDefaults(config);
  if (absl::Status status = CheckNames(filled, workers, request); !status.ok()) return status;
  v1::ListKnobsResponse response;
  for (const v1::Knob& known : AllKnobs()) {
    if (!request.knob().empty() && request.knob() != known.name()) continue;
    v1::Knob& knob = *response.add_knobs();
    knob = known;
    if (known.scope() == v1::Knob::SCOPE_WORKER) {
      AddValuesOfWorkers(filled, workers, request, knob);
    } else {
      AddValuesOfPorts(filled, request, knob);
    }
  }
  return response;
}

}  // namespace wakegate
