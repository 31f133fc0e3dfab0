#include "dataplane/control/gateway.h"

#include <chrono>
#include <utility>

#include "dataplane/control/transition.h"
#include "gateway/config/defaults.h"
#include "gateway/config/validate.h"
#include "spdlog/spdlog.h"

namespace wakegate {

using ledger::DropReason;
using std::chrono::steady_clock;

Gateway::Gateway(const PortSurroundings& surroundings, const v1::DataplaneStatus& status,
                 const std::string& state_path)
    : ports_(surroundings), state_file_(state_path), status_(status) {}

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
    const absl::Status status = ports_.AddEvenIfClosed(port);
    if (!status.ok()) {
      spdlog::error("restore: {}", std::string(status.message()));
      reopen_.Failed(port.name(), steady_clock::now());
      continue;
    }
    ports_.record(port.name()).set_service(PortRecord::Service::kFull);
  }
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
  internal::v1::StoredState state;
  state.set_generation(generation);
  *state.mutable_config() = config;
  // What may fail of keeping it comes before the change, what is left of it after.
  if (absl::Status status = state_file_.Prepare(state); !status.ok()) return status;
  if (absl::Status status = Transition(ports_, running_, desired, given_up).Run(); !status.ok()) {
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
  *state.mutable_config() = config_;
  state.set_generation(generation_);
  for (const auto& [name, record] : ports_.records()) {
    *state.add_ports() = record->Status(CrossConnectedTo(running_, name));
  }
  return state;
}

bool Gateway::Tick(bool devices_changed) {
  const std::lock_guard lock(mutex_);
  const auto now = steady_clock::now();
  bool plans_changed = false;
  bool tried_in_vain = false;
  std::map<std::string, absl::Status> failed;
  for (const auto& [name, record] : ports_.records()) {
    if (record->port() != nullptr) {
      const absl::StatusOr<bool> changed = record->Refresh();
      if (!changed.ok()) failed[name] = changed.status();
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
  if (plans_changed) PublishOrComplain();
  CloseFailed(failed);
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

void Gateway::PublishOrComplain() {
  if (const absl::Status status = ports_.Publish(running_); !status.ok()) {
    spdlog::error("the workers go on as before: {}", std::string(status.message()));
  }
}

}  // namespace wakegate
