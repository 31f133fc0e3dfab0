#include "gateway/ctl/workers_command.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gateway/ctl/observation.h"
#include "gateway/ctl/worker_report.h"
#include "gateway/ctl/worker_view.h"

namespace wakegate {
namespace {

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
