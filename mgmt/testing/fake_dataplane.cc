#include "mgmt/testing/fake_dataplane.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "gateway/client/client.h"
#include "gateway/config/defaults.h"
#include "gateway/paths/paths.h"
#include "grpc/grpc.h"

namespace wakegate {

// Holds gRPC to the end of the process, as main.cc does and for the same reason.
FakeDataplane::FakeDataplane(std::string run_dir) : run_dir_(std::move(run_dir)) { grpc_init(); }

void FakeDataplane::Start(const std::string& boot_id) {
  {
    const std::lock_guard lock(mutex_);
    auto writer = ledger::Writer::Create(run_dir_, boot_id, kTscHz);
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
    ledger_path_ = writer_->path();
    boot_id_ = boot_id;
    auto worker = writer_->AddWorker(0);
    ASSERT_TRUE(worker.ok()) << worker.status();
    worker_ = *std::move(worker);
    SetRunningLocked(config_, generation_);
  }
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + DataplaneSocketPath(run_dir_),
                           grpc::InsecureServerCredentials());
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  ASSERT_NE(server_, nullptr);
}

void FakeDataplane::Kill() {
  ReleaseApplies();
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
  server_.reset();
  const std::lock_guard lock(mutex_);
  slots_.clear();
  worker_ = ledger::WorkerSlot();
  writer_.reset();
}

void FakeDataplane::SetRunning(const v1::GatewayConfig& config, uint64_t generation) {
  const std::lock_guard lock(mutex_);
  SetRunningLocked(config, generation);
}

void FakeDataplane::SetRunningLocked(const v1::GatewayConfig& config, uint64_t generation) {
  config_ = config;
  generation_ = generation;
  slots_.clear();
  if (writer_ == nullptr) return;
  for (const v1::Port& port : config_.ports()) {
    slots_[port.name()] = {.rx = *writer_->AddRxQueue(port.name(), 0, 0),
                           .tx = *writer_->AddTxQueue(port.name(), 0, 0),
                           .port = *writer_->AddPort(port.name())};
  }
}

void FakeDataplane::RefuseApplies(absl::Status status) {
  const std::lock_guard lock(mutex_);
  refusal_ = std::move(status);
}

void FakeDataplane::IgnoreApplies() {
  const std::lock_guard lock(mutex_);
  ignore_ = true;
}

void FakeDataplane::HoldApplies() {
  const std::lock_guard lock(mutex_);
  hold_ = true;
}

void FakeDataplane::ReleaseApplies() {
  {
    const std::lock_guard lock(mutex_);
    hold_ = false;
  }
  released_.notify_all();
}

void FakeDataplane::HoldAppliesUntilAsked() {
  const std::lock_guard lock(mutex_);
  hold_ = until_asked_ = true;
}

void FakeDataplane::SetLedgerPath(const std::string& path) {
  const std::lock_guard lock(mutex_);
  ledger_path_ = path;
}

int FakeDataplane::applies() const {
  const std::lock_guard lock(mutex_);
  return applies_;
}

v1::GatewayConfig FakeDataplane::config() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

uint64_t FakeDataplane::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

FakeDataplane::PortSlots& FakeDataplane::slots(const std::string& port) {
  const std::lock_guard lock(mutex_);
  return slots_.at(port);
}

grpc::Status FakeDataplane::Apply(grpc::ServerContext*, const internal::v1::ApplyRequest* request,
                                  internal::v1::ApplyResponse*) {
  std::unique_lock lock(mutex_);
  ++applies_;
  released_.wait(lock, [this] { return !hold_; });
  if (!refusal_.ok()) return ToGrpcStatus(refusal_);
  if (!ignore_) SetRunningLocked(request->config(), request->generation());
  until_asked_ = false;
  released_.notify_all();
  return grpc::Status::OK;
}

// Every port has one counter.
grpc::Status FakeDataplane::GetDeviceStats(grpc::ServerContext*,
                                           const internal::v1::GetDeviceStatsRequest* request,
                                           internal::v1::GetDeviceStatsResponse* response) {
  const std::lock_guard lock(mutex_);
  if (!slots_.contains(request->port())) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "no port " + request->port());
  }
  (*response->mutable_stats())["rx_good_packets"] = 12;
  return grpc::Status::OK;
}

grpc::Status FakeDataplane::GetState(grpc::ServerContext*, const internal::v1::GetStateRequest*,
                                     internal::v1::GetStateResponse* response) {
  std::unique_lock lock(mutex_);
  if (until_asked_) {
    hold_ = false;
    released_.notify_all();
    released_.wait(lock, [this] { return !until_asked_; });
  }
  response->mutable_status()->set_version("1.2.3");
  response->mutable_status()->set_boot_id(boot_id_);
  response->mutable_status()->mutable_start_time()->set_seconds(1'700'000'000);
  for (uint32_t worker = 0; worker < kWorkers; ++worker) {
    response->mutable_status()->add_workers()->set_worker(worker);
  }
  *response->mutable_config() = config_;
  response->set_generation(generation_);
  response->set_ledger_path(ledger_path_);
  for (const v1::Port& port : config_.ports()) {
    v1::PortStatus& status = *response->add_ports();
    status.set_name(port.name());
    status.set_kind(KindName(port));
    status.set_state(v1::PortStatus::STATE_UP);
  }
  return grpc::Status::OK;
}

}  // namespace wakegate
