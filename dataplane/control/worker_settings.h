// What the configuration says of workers and queues, as these want it.
#ifndef DATAPLANE_CONTROL_WORKER_SETTINGS_H_
#define DATAPLANE_CONTROL_WORKER_SETTINGS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/control/worker_pool.h"
#include "dataplane/kernel/call_ring.h"
#include "dataplane/ports/queue_tuning.h"
#include "dataplane/trigger/trigger.h"
#include "dataplane/wakeup/idle_policy.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// `config` is valid.
IdleSettings IdleSettingsOf(const v1::GatewayConfig& config, uint32_t worker);
// `port`: its name. `cpu_is_shared`: of the worker that polls the queue.
QueueTuning QueueTuningOf(const v1::GatewayConfig& config, std::string_view port, uint32_t queue,
                          bool cpu_is_shared);
// Whether the knob cpu_dma_latency of any of `workers` workers is on.
bool WantsLowCpuLatency(const v1::GatewayConfig& config, uint32_t workers);

struct TriggerChoice {
  TriggerKind kind = TriggerKind::kNone;
  std::string text;  // Why it is that one, where that is not as the knob says.
};
// What the value of the knob rx_trigger comes to on a worker. `ring_status`: why it has no
// io_uring; OK: it has one. Pure.
TriggerChoice ChooseTrigger(std::string_view knob_value, const absl::Status& ring_status);

// What the value of the knob call_batching comes to on a worker. `costs`: an error where it cannot.
// Pure.
bool BatchesCalls(std::string_view knob_value, const absl::StatusOr<CallCosts>& costs);

// What validation cannot know: INVALID_ARGUMENT where a worker is named that there is not,
// FAILED_PRECONDITION where a trigger or batching is asked for by name that the kernel does not let
// us have.
absl::Status CheckWorkers(const v1::GatewayConfig& config, const WorkerPool& workers);

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_WORKER_SETTINGS_H_
