#include "gateway/ctl/fake_gateway_for_test.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace wakegate {

FakeGateway::FakeGateway() {
  if (mkdtemp(dir_.data()) == nullptr) std::abort();
  address_ = "unix:" + dir_ + "/api.sock";
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
  builder.RegisterService(static_cast<v1::GatewayService::Service*>(this));
  builder.RegisterService(static_cast<v1::TuningService::Service*>(this));
  builder.RegisterService(static_cast<v1::StatsService::Service*>(this));
  server_ = builder.BuildAndStart();
}

FakeGateway::~FakeGateway() {
  server_->Shutdown();
  server_->Wait();
  std::filesystem::remove_all(dir_);
}

grpc::Status FakeGateway::Apply(grpc::ServerContext*, const v1::ApplyRequest* request,
                                v1::ApplyResponse* response) {
  const std::lock_guard lock(mutex_);
  apply_request = *request;
  *response = apply_response;
  return status;
}

grpc::Status FakeGateway::GetConfig(grpc::ServerContext*, const v1::GetConfigRequest*,
                                    v1::GetConfigResponse* response) {
  const std::lock_guard lock(mutex_);
  *response = config_response;
  return status;
}

grpc::Status FakeGateway::ListPorts(grpc::ServerContext*, const v1::ListPortsRequest*,
                                    v1::ListPortsResponse* response) {
  const std::lock_guard lock(mutex_);
  *response = ports_response;
  return status;
}

grpc::Status FakeGateway::GetStatus(grpc::ServerContext*, const v1::GetStatusRequest*,
                                    v1::GetStatusResponse* response) {
  const std::lock_guard lock(mutex_);
  *response = status_response;
  return status;
}

grpc::Status FakeGateway::ListKnobs(grpc::ServerContext*, const v1::ListKnobsRequest* request,
                                    v1::ListKnobsResponse* response) {
  const std::lock_guard lock(mutex_);
  list_knobs_request = *request;
  *response = list_knobs_response;
  return status;
}

grpc::Status FakeGateway::SetKnob(grpc::ServerContext*, const v1::SetKnobRequest* request,
                                  v1::SetKnobResponse* response) {
  const std::lock_guard lock(mutex_);
  set_knob_request = *request;
  *response = set_knob_response;
  return status;
}

grpc::Status FakeGateway::GetStats(grpc::ServerContext*, const v1::GetStatsRequest*,
                                   v1::GetStatsResponse* response) {
  const std::lock_guard lock(mutex_);
  if (!snapshots.empty()) {
    *response->mutable_snapshot() = snapshots[snapshots_given_++ % snapshots.size()];
  }
  return status;
}

grpc::Status FakeGateway::GetDeviceStats(grpc::ServerContext*,
                                         const v1::GetDeviceStatsRequest* request,
                                         v1::GetDeviceStatsResponse* response) {
  const std::lock_guard lock(mutex_);
  device_stats_request = *request;
  *response = device_stats_response;
  return status;
}

grpc::Status FakeGateway::StreamStats(grpc::ServerContext* context,
                                      const v1::StreamStatsRequest* request,
                                      grpc::ServerWriter<v1::StreamStatsResponse>* writer) {
  grpc::Status end;
  {
    const std::lock_guard lock(mutex_);
    stream_stats_request = *request;
    for (const v1::StatsSnapshot& snapshot : snapshots) {
      v1::StreamStatsResponse response;
      *response.mutable_snapshot() = snapshot;
      writer->Write(response);
    }
    end = status;
  }
  while (end.ok() && !context->IsCancelled()) usleep(1000);
  return end;
}

}  // namespace wakegate
