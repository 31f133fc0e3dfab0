#include "gateway/ctl/diff_command.h"

#include "gateway/ctl/changes.h"
#include "gateway/ctl/config_sender.h"

namespace wakegate {

ExitCode RunDiff(const std::string& file, Session& session) {
  v1::ApplyResponse response;
  const ExitCode code =
      SendConfig({.file = file, .dry_run = true, .expected_generation = {}}, session, response);
  if (code != kSuccess) return code;
  if (!session.PrintMessage(response)) session.console().out << FormatChanges(response.changes());
  return response.changes().empty() ? kSuccess : kDifferent;
}

}  // namespace wakegate
