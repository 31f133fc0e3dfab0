// wakegatectl get workers, explain worker: what the workers do, and why they wake.
#ifndef GATEWAY_CTL_WORKERS_COMMAND_H_
#define GATEWAY_CTL_WORKERS_COMMAND_H_

#include <cstdint>

#include "absl/time/time.h"
#include "gateway/ctl/session.h"

namespace wakegate {

// What they did in the next `interval`, which the call takes. As JSON or YAML: a
// wakegate.ctl.v1.WorkersReport.
ExitCode RunGetWorkers(absl::Duration interval, Session& session);
// Likewise, of one worker.
ExitCode RunExplainWorker(uint32_t worker, absl::Duration interval, Session& session);

}  // namespace wakegate

#endif  // GATEWAY_CTL_WORKERS_COMMAND_H_
