// A gRPC server of the public services that answers what a test tells it to.
#ifndef GATEWAY_CTL_FAKE_GATEWAY_FOR_TEST_H_
#define GATEWAY_CTL_FAKE_GATEWAY_FOR_TEST_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "grpcpp/grpcpp.h"
#include "wakegate/v1/gateway.grpc.pb.h"
#include "wakegate/v1/stats.grpc.pb.h"
#include "wakegate/v1/tuning.grpc.pb.h"

namespace wakegate {

// The fields are set before a call and read after it, with Synchronize() in between.
class FakeGateway final : public v1::GatewayService::Service,
                          public v1::TuningService::Service,
                          public v1::StatsService::Service {
 public:
  // Listens on a Unix socket in a folder of its own.
  FakeGateway();
  ~FakeGateway() override;

  const std::string& address() const { return address_; }

  // Orders the test's use of the fields and the calls' for ThreadSanitizer, which does not see that
  // gRPC does.
  void Synchronize() const { const std::lock_guard lock(mutex_); }

  grpc::Status status;  // Of every call.
  v1::ApplyRequest apply_request;
  v1::ApplyResponse apply_response;
  v1::GetConfigResponse config_response;
  v1::ListPortsResponse ports_response;
  v1::GetStatusResponse status_response;
  v1::ListKnobsRequest list_knobs_request;
  v1::ListKnobsResponse list_knobs_response;
  v1::SetKnobRequest set_knob_request;
  v1::SetKnobResponse set_knob_response;
  v1::StreamStatsRequest stream_stats_request;
  v1::GetDeviceStatsRequest device_stats_request;
  v1::GetDeviceStatsResponse device_stats_response;
  // Sent one after the other; then the stream ends with `status`, or stays open where that is OK.
  // GetStats gives them in turn.
  std::vector<v1::StatsSnapshot> snapshots;

  grpc::Status Apply(grpc::ServerContext* context, const v1::ApplyRequest* request,
                     v1::ApplyResponse* response) override;
  grpc::Status GetConfig(grpc::ServerContext* context, const v1::GetConfigRequest* request,
                         v1::GetConfigResponse* response) override;
  grpc::Status ListPorts(grpc::ServerContext* context, const v1::ListPortsRequest* request,
                         v1::ListPortsResponse* response) override;
  grpc::Status GetStatus(grpc::ServerContext* context, const v1::GetStatusRequest* request,
                         v1::GetStatusResponse* response) override;
  grpc::Status ListKnobs(grpc::ServerContext* context, const v1::ListKnobsRequest* request,
                         v1::ListKnobsResponse* response) override;
  grpc::Status SetKnob(grpc::ServerContext* context, const v1::SetKnobRequest* request,
                       v1::SetKnobResponse* response) override;
  grpc::Status GetStats(grpc::ServerContext* context, const v1::GetStatsRequest* request,
                        v1::GetStatsResponse* response) override;
  grpc::Status GetDeviceStats(grpc::ServerContext* context,
                              const v1::GetDeviceStatsRequest* request,
                              v1::GetDeviceStatsResponse* response) override;
  grpc::Status StreamStats(grpc::ServerContext* context, const v1::StreamStatsRequest* request,
                           grpc::ServerWriter<v1::StreamStatsResponse>* writer) override;

 private:
  mutable std::mutex mutex_;
  std::size_t snapshots_given_ = 0;
  std::string dir_ = "/tmp/fake_gatewayXXXXXX";  // Bazel's own is too long for a socket's path.
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace wakegate

#endif  // GATEWAY_CTL_FAKE_GATEWAY_FOR_TEST_H_
