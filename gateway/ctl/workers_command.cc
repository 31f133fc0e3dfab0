#include "gateway/ctl/workers_command.h"

#include <chrono>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gateway/ctl/worker_report.h"
#include "gateway/ctl/worker_view.h"

namespace wakegate {
namespace {

// All that a report is made of.
struct Observation {
  v1::StatsSnapshot before;
  v1::StatsSnapshot after;
  v1::DataplaneStatus dataplane;
  v1::ListPortsResponse ports;
};

grpc::Status TakeSnapshot(Session& session, v1::StatsSnapshot& snapshot) {
  v1::GetStatsResponse response;
  const grpc::Status status = session.Call([&](grpc::ClientContext* context) {
    return session.client().stats().GetStats(context, v1::GetStatsRequest(), &response);
  });
  snapshot = std::move(*response.mutable_snapshot());
  return status;
}

grpc::Status Observe(absl::Duration interval, Session& session, Observation& observation) {
  grpc::Status status = TakeSnapshot(session, observation.before);
  if (!status.ok()) return status;
  std::this_thread::sleep_for(absl::ToChronoNanoseconds(interval));
  status = TakeSnapshot(session, observation.after);
  if (!status.ok()) return status;
  v1::GetStatusResponse gateway;
  status = session.Call([&](grpc::ClientContext* context) {
    return session.client().gateway().GetStatus(context, v1::GetStatusRequest(), &gateway);
  });
  if (!status.ok()) return status;
  observation.dataplane = std::move(*gateway.mutable_dataplane());
  return session.Call([&](grpc::ClientContext* context) {
    return session.client().gateway().ListPorts(context, v1::ListPortsRequest(),
                                                &observation.ports);
  });
}

ExitCode Print(const ctl::v1::WorkersReport& report,
               std::string (*format)(const ctl::v1::WorkersReport&), Session& session) {
  if (!session.PrintMessage(report)) session.console().out << format(report);
  return kSuccess;
}

}  // namespace

ExitCode RunGetWorkers(absl::Duration interval, Session& session) {
  Observation seen;
  const grpc::Status status = Observe(interval, session, seen);
  if (!status.ok()) return session.Fail(status);
  return Print(MakeWorkersReport(seen.before, seen.after, seen.dataplane, seen.ports),
               &FormatWorkers, session);
}

ExitCode RunExplainWorker(uint32_t worker, absl::Duration interval, Session& session) {
  Observation seen;
  const grpc::Status status = Observe(interval, session, seen);
  if (!status.ok()) return session.Fail(status);
  const ctl::v1::WorkersReport report =
      MakeWorkerExplanation(seen.before, seen.after, seen.dataplane, seen.ports, worker);
  if (!report.workers().empty()) return Print(report, &FormatExplanation, session);
  return session.Fail(
      grpc::Status(grpc::StatusCode::NOT_FOUND,
                   absl::StrCat("no worker ", worker, "; the data plane has ",
                                seen.dataplane.workers_size(), " of them, from 0")));
}

}  // namespace wakegate
