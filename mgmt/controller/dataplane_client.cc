#include "mgmt/controller/dataplane_client.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/client/client.h"

namespace wakegate {
namespace {

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& socket_path) {
  grpc::ChannelArguments arguments;
  // A data plane that was restarted is to be found at once; to try a Unix socket costs nothing.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  // Its state is its configuration and more: larger than the largest request it takes.
  arguments.SetMaxReceiveMessageSize(64 << 20);
  // A channel of its own, that does not share back-off with another to the same path.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel("unix:" + socket_path, grpc::InsecureChannelCredentials(),
                                   arguments);
}

}  // namespace

class DataplaneClient::ScopedCall {
 public:
  ScopedCall(DataplaneClient& client, Deadline deadline) : client_(client) {
    context_.set_deadline(deadline);
    const std::lock_guard lock(client_.mutex_);
    client_.calls_.insert(&context_);
    // Cancelled before it starts: the call ends when it is made.
    if (client_.stopped_) context_.TryCancel();
  }
  ~ScopedCall() {
    const std::lock_guard lock(client_.mutex_);
    client_.calls_.erase(&context_);
  }
  grpc::ClientContext* context() { return &context_; }

 private:
  DataplaneClient& client_;
  grpc::ClientContext context_;
};

DataplaneClient::DataplaneClient(const std::string& socket_path)
    : socket_path_(socket_path),
      stub_(internal::v1::DataplaneService::NewStub(MakeChannel(socket_path))) {}

absl::Status DataplaneClient::Apply(const v1::GatewayConfig& config, uint64_t generation,
                                    Deadline deadline) {
  internal::v1::ApplyRequest request;
  *request.mutable_config() = config;
  request.set_generation(generation);
  internal::v1::ApplyResponse response;
  ScopedCall call(*this, deadline);
  return Explain(stub_->Apply(call.context(), request, &response));
}

absl::StatusOr<internal::v1::GetStateResponse> DataplaneClient::GetState(Deadline deadline) {
  internal::v1::GetStateResponse response;
  ScopedCall call(*this, deadline);
  absl::Status status = Explain(stub_->GetState(call.context(), {}, &response));
  if (!status.ok()) return status;
  return response;
}

absl::StatusOr<internal::v1::GetDeviceStatsResponse> DataplaneClient::GetDeviceStats(
    const std::string& port, Deadline deadline) {
  internal::v1::GetDeviceStatsRequest request;
  request.set_port(port);
  internal::v1::GetDeviceStatsResponse response;
  ScopedCall call(*this, deadline);
  absl::Status status = Explain(stub_->GetDeviceStats(call.context(), request, &response));
  if (!status.ok()) return status;
  return response;
}

void DataplaneClient::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (grpc::ClientContext* call : calls_) call->TryCancel();
}

absl::Status DataplaneClient::Explain(const grpc::Status& status) const {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return absl::UnavailableError(
          absl::StrCat("the data plane does not answer on ", socket_path_,
                       " (is wakegate-dataplane running?): ", status.error_message()));
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return absl::DeadlineExceededError(
          absl::StrCat("the data plane did not answer in time on ", socket_path_));
    case grpc::StatusCode::CANCELLED:
      return absl::CancelledError("wakegate-mgmt stops");
    default:
      return ToAbslStatus(status);
  }
}

}  // namespace wakegate
