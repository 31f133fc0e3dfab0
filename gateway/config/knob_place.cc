#include "gateway/config/knob_place.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gateway/config/defaults.h"
#include "gateway/config/quote.h"
#include "gateway/knobs/knobs.h"

namespace wakegate {
namespace {

absl::Status Invalid(const char* field, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", problem));
}

absl::Status CheckPlaceOfWorkers(const v1::Knob& knob, const v1::KnobSetting& setting) {
  for (const auto& [field, is_set] :
       {std::pair("port", !setting.port().empty()), std::pair("queue", setting.has_queue())}) {
    if (!is_set) continue;
    return Invalid(field, absl::StrCat(knob.name(), " is a knob of workers; leave the ", field,
                                       " out, and name a worker, or none for all"));
  }
  if (setting.worker() < kMaxWorkers) return absl::OkStatus();
  return Invalid("worker", absl::StrCat(setting.worker(), " is not from 0 to ", kMaxWorkers - 1));
}

const v1::Port* FindPort(const v1::GatewayConfig& config, const std::string& name) {
  const auto found = std::find_if(config.ports().begin(), config.ports().end(),
                                  [&](const v1::Port& port) { return port.name() == name; });
  return found == config.ports().end() ? nullptr : &*found;
}

absl::Status NoSuchPort(const v1::GatewayConfig& config, const v1::KnobSetting& setting) {
  if (setting.port().empty()) {
    return Invalid("port", absl::StrCat(setting.knob(), " is a knob of ports; name one"));
  }
  std::vector<std::string> names;
  for (const v1::Port& port : config.ports()) names.push_back(port.name());
  return absl::NotFoundError(
      absl::StrCat("port: no port ", Quoted(setting.port()), SuggestName(setting.port(), names)));
}

absl::Status CheckPlaceOfPorts(const v1::GatewayConfig& config, const v1::Knob& knob,
                               const v1::KnobSetting& setting) {
  if (setting.has_worker()) {
    return Invalid("worker",
                   absl::StrCat(knob.name(), " is a knob of ports; leave the worker out"));
  }
  const v1::Port* port = FindPort(config, setting.port());
  if (port == nullptr) return NoSuchPort(config, setting);
  if (!IsForPortKind(knob, KindName(*port))) {
    return Invalid("port", absl::StrCat(knob.name(), " is a knob of ports of kind ",
                                        absl::StrJoin(knob.port_kinds(), ", "), ", but port ",
                                        Quoted(port->name()), " is of kind ", KindName(*port)));
  }
  if (!setting.has_queue()) return absl::OkStatus();
  if (knob.scope() != v1::Knob::SCOPE_QUEUE) {
    return Invalid("queue", absl::StrCat(knob.name(), " is of the whole port; leave it out"));
  }
  const uint32_t queues = std::max<uint32_t>(1, QueueCount(*port));  // 0: the default, 1.
  if (setting.queue() < queues) return absl::OkStatus();
  return Invalid("queue", absl::StrCat(setting.queue(), ", but port ", Quoted(port->name()),
                                       " has queues 0 to ", queues - 1));
}

}  // namespace

std::string KnobPlaceName(const v1::KnobSetting& setting) {
  if (setting.has_worker()) return absl::StrCat(setting.knob(), " of worker ", setting.worker());
  if (setting.port().empty()) return absl::StrCat(setting.knob(), " of all workers");
  return absl::StrCat(setting.knob(), " of port ", Quoted(setting.port()),
                      setting.has_queue() ? absl::StrCat(", queue ", setting.queue()) : "");
}

absl::Status CheckKnobPlace(const v1::GatewayConfig& config, const v1::KnobSetting& setting) {
  const v1::Knob& knob = *FindKnob(setting.knob());
  return knob.scope() == v1::Knob::SCOPE_WORKER ? CheckPlaceOfWorkers(knob, setting)
                                                : CheckPlaceOfPorts(config, knob, setting);
}

absl::Status CheckKnobWorker(const v1::KnobSetting& setting, uint32_t workers) {
  uint32_t worker = setting.worker();
  const bool is_value = setting.knob() == kWorkerKnob && absl::SimpleAtoi(setting.value(), &worker);
  if ((!is_value && !setting.has_worker()) || worker < workers) return absl::OkStatus();
  return Invalid(
      is_value ? "value" : "worker",
      absl::StrCat(worker, ", but the data plane has ",
                   workers == 1 ? "worker 0 alone" : absl::StrCat("workers 0 to ", workers - 1)));
}

}  // namespace wakegate
