// wakegatectl stats: what the gateway does, per second.
#ifndef GATEWAY_CTL_STATS_COMMAND_H_
#define GATEWAY_CTL_STATS_COMMAND_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gateway/ctl/session.h"

namespace wakegate {

struct StatsOptions {
  // Again and again: `count` times, or until Ctrl-C where that is 0. Otherwise once.
  bool watch = false;
  int count = 0;
  absl::Duration interval = absl::Seconds(1);
  std::vector<std::string> ports;  // Empty: all.
};

// As a table: rates over each interval, in place where `out` is a terminal. As JSON or YAML: the
// counters themselves. Watching goes on when the data plane or mgmt is gone and comes back.
ExitCode RunStats(const StatsOptions& options, Session& session);

}  // namespace wakegate

#endif  // GATEWAY_CTL_STATS_COMMAND_H_
