#include "gateway/ctl/tune_command.h"

#include "absl/strings/str_cat.h"
#include "gateway/ctl/changes.h"
#include "gateway/ctl/table.h"

namespace wakegate {
namespace {

// "tap0", "tap0 queue 1", "worker 0"
std::string PlaceOf(const v1::KnobValue& value) {
  if (value.has_worker()) return absl::StrCat("worker ", value.worker());
  return absl::StrCat(value.port(), value.has_queue() ? " queue " : "",
                      value.has_queue() ? absl::StrCat(value.queue()) : "");
}

std::string FormatValues(const v1::ListKnobsResponse& response) {
  constexpr auto kRight = Table::Align::kRight;
  Table table({{"KNOB"}, {"OF"}, {"VALUE", kRight}, {"UNIT"}, {""}});
  for (const v1::Knob& knob : response.knobs()) {
    for (const v1::KnobValue& value : knob.values()) {
      table.AddRow(
          {knob.name(), PlaceOf(value), value.value(), knob.unit().empty() ? "-" : knob.unit(),
           value.is_default() ? "default" : absl::StrCat("default: ", knob.default_value())});
    }
  }
  return table.empty() ? "none is set anywhere: no ports have it\n" : table.ToString();
}

}  // namespace

ExitCode RunTuneGet(const TuneGetOptions& options, Session& session) {
  v1::ListKnobsRequest request;
  request.set_knob(options.knob);
  request.set_port(options.port);
  if (options.worker.has_value()) request.set_worker(*options.worker);
  v1::ListKnobsResponse response;
  const grpc::Status status = session.Call([&](grpc::ClientContext* context) {
    return session.client().tuning().ListKnobs(context, request, &response);
  });
  if (!status.ok()) return session.Fail(status);
  if (!session.PrintMessage(response)) session.console().out << FormatValues(response);
  return kSuccess;
}

ExitCode RunTuneSet(const TuneSetOptions& options, Session& session) {
  v1::SetKnobRequest request;
  request.set_knob(options.knob);
  request.set_value(options.value);
  request.set_port(options.port);
  if (options.queue.has_value()) request.set_queue(*options.queue);
  if (options.worker.has_value()) request.set_worker(*options.worker);
  if (options.expected_generation.has_value()) {
    request.set_expected_generation(*options.expected_generation);
  }
  v1::SetKnobResponse response;
  const grpc::Status status = session.Call([&](grpc::ClientContext* context) {
    return session.client().tuning().SetKnob(context, request, &response);
  });
  if (!status.ok()) return session.Fail(status);
  if (session.PrintMessage(response)) return kSuccess;
  session.console().out << FormatChanges(response.changes())
                        << (response.changes().empty() ? "nothing to change, " : "")
                        << "generation " << response.generation() << "\n";
  return kSuccess;
}

}  // namespace wakegate
