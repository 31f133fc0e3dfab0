#include "gateway/ctl/apply_command.h"

#include "gateway/ctl/changes.h"

namespace wakegate {
namespace {

const char* Outcome(const ApplyOptions& options, const v1::ApplyResponse& response) {
  if (response.changes().empty()) return "nothing to change, generation ";
  return options.dry_run ? "dry run, nothing was changed, generation " : "generation ";
}

}  // namespace

ExitCode RunApply(const ApplyOptions& options, Session& session) {
  v1::ApplyResponse response;
  const ExitCode code = SendConfig(options, session, response);
  if (code != kSuccess || session.PrintMessage(response)) return code;
  session.console().out << FormatChanges(response.changes()) << Outcome(options, response)
                        << response.generation() << "\n";
  return kSuccess;
}

}  // namespace wakegate
