#include "gateway/ctl/port_command.h"

#include "absl/strings/str_cat.h"
#include "gateway/ctl/observation.h"
#include "gateway/ctl/port_explanation.h"
#include "gateway/ctl/port_report.h"

namespace wakegate {

ExitCode RunExplainPort(const std::string& port, absl::Duration interval, Session& session) {
  Observation seen;
  const grpc::Status status = Observe(interval, session, seen);
  if (!status.ok()) return session.Fail(status);
  const ctl::v1::PortReport report = MakePortReport(seen, port);
  if (report.status().name().empty()) {
    return session.Fail(
        grpc::Status(grpc::StatusCode::NOT_FOUND,
                     absl::StrCat("no port \"", port, "\"; `wakegatectl get ports` lists them")));
  }
  if (!session.PrintMessage(report)) session.console().out << FormatPortExplanation(report);
  return kSuccess;
}

}  // namespace wakegate
