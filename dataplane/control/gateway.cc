#include "dataplane/control/gateway.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/control/transition.h"
#include "dataplane/control/worker_settings.h"
#include "gateway/config/defaults.h"
#include "gateway/config/validate.h"
#include "gateway/knobs/knobs.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

// One that the configuration put down has lost nothing.
void LogCarrier(const PortRecord& record) {
  if (!record.config().admin_up()) return;
  const std::string why = record.Status(/*cross_connected_to=*/"").state_text();
  spdlog::info("port {} has {} carrier{}{}", record.name(), record.device().carrier ? "a" : "no",
               why.empty() ? "" : ": ", why);
}

}  // namespace

using ledger::DropReason;
using std::chrono::steady_clock;

Gateway::Gateway(const PortSurroundings& surroundings, const v1::DataplaneStatus& status,
                 const std::string& state_path)
    : ports_(surroundings),
      workers_(surroundings.workers),
      state_file_(state_path),
      status_(status) {}

void Gateway::Restore() {
  const std::lock_guard lock(mutex_);
  absl::StatusOr<StateFile::Loaded> loaded = state_file_.Load();
  if (!loaded.ok()) {
    spdlog::error("{}", std::string(loaded.status().message()));
    return;
  }
  if (!loaded->problem.empty()) spdlog::error("{}", loaded->problem);
  if (!loaded->state) return;
  config_ = loaded->state->config();
  running_ = WithDefaults(config_);
  generation_ = loaded->state->generation();
  for (const v1::Port& port : running_.ports()) {
    const absl::Status status = ports_.AddEvenIfClosed(port, running_);
    if (!status.ok()) {
      spdlog::error("restore: {}", std::string(status.message()));
      reopen_.Failed(port.name(), steady_clock::now());
      continue;
    }
    ports_.record(port.name()).set_service(PortRecord::Service::kFull);
  }
  const absl::Status latency = cpu_latency_.Want(WantsLowCpuLatency(running_, workers_.size()));
  if (!latency.ok()) spdlog::error("restore: {}", std::string(latency.message()));
  PublishOrComplain();
  spdlog::info("restored generation {}: {} ports", generation_, running_.ports_size());
}

absl::Status Gateway::Apply(const v1::GatewayConfig& config, uint64_t generation,
                            absl::FunctionRef<bool()> given_up) {
  const std::lock_guard lock(mutex_);
  const absl::Status status = ApplyLocked(config, generation, given_up);
  if (status.ok()) {
    spdlog::info("generation {} runs: {} ports", generation_, running_.ports_size());
  } else {
    spdlog::warn("generation {} refused: {}", generation, std::string(status.message()));
  }
  return status;
}

absl::Status Gateway::ApplyLocked(const v1::GatewayConfig& config, uint64_t generation,
                                  absl::FunctionRef<bool()> given_up) {
  if (absl::Status status = Validate(config); !status.ok()) return status;
  const v1::GatewayConfig desired = WithDefaults(config);
  if (absl::Status status = CheckWorkers(desired, workers_); !status.ok()) return status;
  internal::v1::StoredState state;
  state.set_generation(generation);
  *state.mutable_config() = config;
  // What may fail of keeping it comes before the change, what is left of it after.
  if (absl::Status status = state_file_.Prepare(state); !status.ok()) return status;
  if (absl::Status status = cpu_latency_.Want(WantsLowCpuLatency(desired, workers_.size()));
      !status.ok()) {
    return status;
  }
  if (absl::Status status = Transition(ports_, running_, desired, given_up).Run(); !status.ok()) {
    (void)cpu_latency_.Want(WantsLowCpuLatency(running_, workers_.size()));
    return status;
  }
  if (absl::Status status = state_file_.Commit(); !status.ok()) {
    spdlog::error("the configuration runs but a restart will not find it: {}",
                  std::string(status.message()));
  }
  config_ = config;
  running_ = desired;
  generation_ = generation;
  return absl::OkStatus();
}

internal::v1::GetStateResponse Gateway::State() {
  const std::lock_guard lock(mutex_);
  internal::v1::GetStateResponse state;
  *state.mutable_status() = status_;
  DescribeWorkers(*state.mutable_status());
  *state.mutable_config() = config_;
  state.set_generation(generation_);
  for (const auto& [name, record] : ports_.records()) {
    v1::PortStatus& port = *state.add_ports();
    port = record->Status(CrossConnectedTo(running_, name));
    DescribeTriggers(*record, port);
  }
  return state;
}

absl::StatusOr<std::map<std::string, uint64_t>> Gateway::DeviceStats(const std::string& port) {
  const std::lock_guard lock(mutex_);
  if (!ports_.records().contains(port)) {
    return absl::NotFoundError(absl::StrCat("no port \"", port, "\""));
  }
  PortRecord& record = ports_.record(port);
  if (record.port() == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("port ", port, " is closed: ", record.failure().message()));
  }
  auto stats = record.port()->ReadDeviceStats();
  if (stats.ok()) return stats;
  return WithName(stats.status(), port);
}

bool Gateway::Tick(bool devices_changed) {
  const std::lock_guard lock(mutex_);
  const auto now = steady_clock::now();
  bool plans_changed = false;
  bool tried_in_vain = false;
  std::map<std::string, absl::Status> failed;
  for (const auto& [name, record] : ports_.records()) {
    if (record->port() != nullptr) {
      const bool had_carrier = record->device().carrier;
      const absl::StatusOr<bool> changed = record->Refresh();
      if (!changed.ok()) failed[name] = changed.status();
      if (changed.ok() && record->device().carrier != had_carrier) LogCarrier(*record);
      plans_changed |= changed.ok() && *changed;
    } else if (reopen_.IsDue(name, now, devices_changed)) {
      const absl::Status status = ports_.Open(*record);
      if (!status.ok()) {
        record->SetFailure(status);
        reopen_.Failed(name, now);
        tried_in_vain = true;
        continue;
      }
      spdlog::info("port {} is back", name);
      reopen_.Forget(name);
      record->set_service(PortRecord::Service::kFull);
      plans_changed = true;
    }
  }
  plans_changed |= workers_.LookForContention();
  if (plans_changed) PublishOrComplain();
  CloseFailed(failed);
  Balance();
  return tried_in_vain;
}

void Gateway::CloseFailed(const std::map<std::string, absl::Status>& failed) {
  std::vector<std::string> names;
  for (const auto& [name, status] : failed) {
    spdlog::error("port {} failed: {}", name, std::string(status.message()));
    ports_.record(name).SetFailure(status);
    reopen_.Failed(name, steady_clock::now());
    names.push_back(name);
  }
  ports_.Retire(names, running_, DropReason::kPortDown);
}

void Gateway::Balance() {
  const std::optional<QueueMove> move =
      balancer_.Next(ports_.records(), running_, workers_.size(), steady_clock::now());
  if (!move) return;
  const absl::Status status = ports_.Move({*move}, running_);
  if (status.ok()) {
    PublishOrComplain();
    spdlog::info("queue {} of port {} moved to worker {}, which has more time", move->queue,
                 move->port, move->to_worker);
  } else {
    spdlog::warn("queue {} of port {} stays: {}", move->queue, move->port,
                 std::string(status.message()));
  }
}

void Gateway::DescribeWorkers(v1::DataplaneStatus& status) const {
  for (v1::WorkerStatus& worker : *status.mutable_workers()) {
    const Worker& running = workers_.worker(worker.worker());
    worker.set_idle_policy(WorkerKnobText(running_, kIdlePolicyKnob, worker.worker()));
    worker.set_shares_core(running.cpu_is_shared());
    worker.set_io_uring_text(std::string(running.ring_status().message()));
    const absl::StatusOr<CallCosts>& costs = running.call_costs();
    worker.set_batches_calls(
        BatchesCalls(WorkerKnobText(running_, kCallBatchingKnob, worker.worker()), costs));
    if (!costs.ok()) continue;
    worker.set_single_call_nanoseconds(costs->single);
    worker.set_batched_call_nanoseconds(costs->batched);
  }
  for (const auto& [name, record] : ports_.records()) {
    if (record->port() == nullptr || record->port()->sleep_obstacle().empty()) continue;
    for (const PortRecord::QueuePair& pair : record->queues()) {
      v1::WorkerStatus& worker = *status.mutable_workers(static_cast<int>(pair.place.worker));
      const auto& named = worker.sleepless_ports();
      if (named.empty() || *named.rbegin() != name) worker.add_sleepless_ports(name);
    }
  }
}

void Gateway::DescribeTriggers(PortRecord& record, v1::PortStatus& status) const {
  if (record.port() == nullptr) return;
  for (v1::QueueStatus& queue : *status.mutable_queues()) {
    const AnyRxQueue& rx_queue = record.port()->rx_queues()[queue.queue()];
    if (rx_queue.has_ready_word()) continue;
    TriggerChoice choice;
    if (rx_queue.file_tells_readiness()) {
      choice = ChooseTrigger(KnobText(running_, kRxTriggerKnob, record.name(), queue.queue()),
                             workers_.worker(queue.rx_worker()).ring_status());
    }
    queue.set_rx_trigger(std::string(TriggerKindName(choice.kind)));
    queue.set_rx_trigger_text(choice.text);
  }
}

void Gateway::PublishOrComplain() {
  if (const absl::Status status = ports_.Publish(running_); !status.ok()) {
    spdlog::error("the workers go on as before: {}", std::string(status.message()));
  }
}

}  // namespace wakegate
