#include "gateway/client/client.h"

#include "absl/strings/match.h"

namespace wakegate {
namespace {

// The counters of a full ledger: 2048 slots of at most 10 KB each.
constexpr int kMaxReceivedBytes = 32 << 20;
// A server of gRPC's defaults ends connections that ping more often than every 5 minutes.
constexpr int kKeepaliveMilliseconds = 310 * 1000;
constexpr int kKeepaliveTimeoutMilliseconds = 20 * 1000;
// A gateway that starts again is found within this time.
constexpr int kMaxReconnectMilliseconds = 2000;

grpc::ChannelArguments MakeChannelArguments(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxReceivedBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMilliseconds);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMilliseconds);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMilliseconds);
  // The gateway is on this host or in its pod: $http_proxy is not for it.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // A path is no valid :authority (RFC 3986); servers other than gRPC's own refuse it.
  if (absl::StartsWith(address, "unix:")) {
    arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
  }
  return arguments;
}

}  // namespace

Client::Client(const std::string& address)
    : address_(address),
      channel_(grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                         MakeChannelArguments(address))),
      gateway_(v1::GatewayService::NewStub(channel_)),
      tuning_(v1::TuningService::NewStub(channel_)),
      stats_(v1::StatsService::NewStub(channel_)) {}

bool Client::IsConnected() const {
  return channel_->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_READY;
}

}  // namespace wakegate
