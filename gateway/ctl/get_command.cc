#include "gateway/ctl/get_command.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "gateway/config/text.h"
#include "gateway/ctl/plain_name.h"
#include "gateway/ctl/table.h"

namespace wakegate {
namespace {

constexpr auto kRight = Table::Align::kRight;

// The workers that serve a port: "0" or "0,1".
std::string WorkersOf(const v1::PortStatus& port) {
  std::set<uint32_t> workers;
  for (const v1::QueueStatus& queue : port.queues()) {
    workers.insert(queue.rx_worker());
    workers.insert(queue.tx_worker());
  }
  return absl::StrJoin(workers, ",");
}

// "tap0", or "tap0 in blue" where it is in another network namespace.
std::string DeviceOf(const v1::PortStatus& port) {
  if (port.interface().empty()) return "-";
  if (port.network_namespace().empty()) return port.interface();
  return absl::StrCat(port.interface(), " in ", port.network_namespace());
}

std::string FormatPorts(const v1::ListPortsResponse& response) {
  if (response.ports().empty()) return "no ports\n";
  Table table({{"PORT"},
               {"KIND"},
               {"STATE"},
               {"DEVICE"},
               {"MTU", kRight},
               {"MAC"},
               {"QUEUES", kRight},
               {"WORKERS"},
               {"CONNECTED TO"}});
  for (const v1::PortStatus& port : response.ports()) {
    table.AddRow(
        {port.name(), port.kind(), PlainName(v1::PortStatus::State_Name(port.state()), "STATE_"),
         DeviceOf(port), port.mtu() == 0 ? "-" : absl::StrCat(port.mtu()),
         port.mac_address().empty() ? "-" : port.mac_address(), absl::StrCat(port.queues_size()),
         WorkersOf(port), port.cross_connected_to().empty() ? "-" : port.cross_connected_to()});
    if (port.promiscuous()) table.AddNote("promiscuous");
    if (!port.state_text().empty()) table.AddNote(port.state_text());
    if (!port.mode_text().empty()) table.AddNote(port.mode_text());
    if (!port.sleep_obstacle().empty()) {
      table.AddNote(absl::StrCat("its worker never sleeps: ", port.sleep_obstacle()));
    }
  }
  return table.ToString();
}

std::string RangeOf(const v1::Knob& knob) {
  const std::string choices = absl::StrJoin(knob.choices(), " ");
  if (knob.type() == v1::Knob::TYPE_CHOICE) return choices;
  return absl::StrCat(knob.minimum(), " to ", knob.maximum(), choices.empty() ? "" : ", ", choices);
}

// "worker", "queue", "tap queue": what there is one value for.
std::string PlaceOf(const v1::Knob& knob) {
  return absl::StrCat(absl::StrJoin(knob.port_kinds(), "/"), knob.port_kinds().empty() ? "" : " ",
                      PlainName(v1::Knob::Scope_Name(knob.scope()), "SCOPE_"));
}

std::string FormatKnobs(const v1::ListKnobsResponse& response) {
  Table table({{"KNOB"}, {"VALUES"}, {"UNIT"}, {"DEFAULT", kRight}, {"OF EACH"}, {"CHANGE"}});
  for (const v1::Knob& knob : response.knobs()) {
    table.AddRow({knob.name(), RangeOf(knob), knob.unit().empty() ? "-" : knob.unit(),
                  knob.default_value(), PlaceOf(knob),
                  PlainName(v1::Knob::Effect_Name(knob.effect()), "EFFECT_")});
    table.AddNote(knob.help());
  }
  return table.ToString();
}

std::string FormatWorkers(const v1::DataplaneStatus& dataplane) {
  return absl::StrJoin(dataplane.workers(), ", ",
                       [](std::string* text, const v1::WorkerStatus& worker) {
                         absl::StrAppend(text, worker.worker(), " on CPU ", worker.cpu());
                       });
}

std::string FormatStatus(const v1::GetStatusResponse& response) {
  const v1::DataplaneStatus& dataplane = response.dataplane();
  std::string text = absl::StrCat(
      "configuration  generation ", response.generation(), ", ",
      response.in_sync() ? "which the data plane runs" : "which the data plane does not run",
      "\nmanagement     version ", response.mgmt_version(), "\ndata plane     ",
      response.dataplane_connected() ? "connected" : "NOT CONNECTED");
  if (!dataplane.boot_id().empty()) {
    absl::StrAppend(&text, ", version ", dataplane.version(), ", pid ", dataplane.pid(), ", since ",
                    absl::FormatTime("%Y-%m-%d %H:%M:%S",
                                     absl::FromUnixSeconds(dataplane.start_time().seconds()),
                                     absl::LocalTimeZone()),
                    "\n               boot id ", dataplane.boot_id(), "\nmemory         ",
                    dataplane.memory_text(), "\nworkers        ", FormatWorkers(dataplane));
  }
  text += "\n";
  for (const std::string* trouble : {&response.dataplane_text(), &response.stored_config_text()}) {
    if (!trouble->empty()) absl::StrAppend(&text, "trouble        ", *trouble, "\n");
  }
  return text;
}

std::string FormatDeviceStats(const v1::GetDeviceStatsResponse& response) {
  if (response.stats().empty()) return "the driver counts nothing by itself\n";
  Table table({{"COUNTER"}, {"VALUE", kRight}});
  const std::map<std::string, uint64_t> sorted(response.stats().begin(), response.stats().end());
  for (const auto& [name, value] : sorted) table.AddRow({name, absl::StrCat(value)});
  return table.ToString();
}

// Prints what FormatXxx makes of a response, or the response itself.
template <class Response>
ExitCode Print(Session& session, const grpc::Status& status, const Response& response,
               std::string (*format)(const Response&)) {
  if (!status.ok()) return session.Fail(status);
  if (!session.PrintMessage(response)) session.console().out << format(response);
  return kSuccess;
}

}  // namespace

ExitCode RunGetConfig(Session& session) {
  v1::GetConfigResponse response;
  const grpc::Status status = session.Call([&](grpc::ClientContext* context) {
    return session.client().gateway().GetConfig(context, v1::GetConfigRequest(), &response);
  });
  if (!status.ok()) return session.Fail(status);
  if (session.options().format == Format::kJson) {
    session.console().out << ToJson(response.config());
  } else {
    session.console().out << "# generation " << response.generation() << "\n"
                          << ToYaml(response.config());
  }
  return kSuccess;
}

ExitCode RunGetPorts(Session& session) {
  v1::ListPortsResponse response;
  const grpc::Status status = session.Call([&](grpc::ClientContext* context) {
    return session.client().gateway().ListPorts(context, v1::ListPortsRequest(), &response);
  });
  return Print(session, status, response, &FormatPorts);
}

ExitCode RunGetKnobs(Session& session) {
  v1::ListKnobsResponse response;
  const grpc::Status status = session.Call([&](grpc::ClientContext* context) {
    return session.client().tuning().ListKnobs(context, v1::ListKnobsRequest(), &response);
  });
  return Print(session, status, response, &FormatKnobs);
}

ExitCode RunGetStatus(Session& session) {
  v1::GetStatusResponse response;
  const grpc::Status status = session.Call([&](grpc::ClientContext* context) {
    return session.client().gateway().GetStatus(context, v1::GetStatusRequest(), &response);
  });
  return Print(session, status, response, &FormatStatus);
}

ExitCode RunGetDeviceStats(const std::string& port, Session& session) {
  v1::GetDeviceStatsRequest request;
  request.set_port(port);
  v1::GetDeviceStatsResponse response;
  const grpc::Status status = session.Call([&](grpc::ClientContext* context) {
    return session.client().stats().GetDeviceStats(context, request, &response);
  });
  return Print(session, status, response, &FormatDeviceStats);
}

}  // namespace wakegate
