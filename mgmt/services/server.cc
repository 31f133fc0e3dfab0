#include "mgmt/services/server.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "gateway/files/socket_path.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/resource_quota.h"

namespace wakegate {
namespace {

// Changes wait on a thread each (Turnstile::kMaxWaiting); the rest is for readers.
constexpr int kMaxThreads = Turnstile::kMaxWaiting + 32;
// At a time, of one client connection.
constexpr int kMaxCallsOfConnection = 256;
// Calls under way have this long to end by themselves.
constexpr std::chrono::milliseconds kShutdownGrace{300};

void SetLimits(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(Server::kMaxRequestBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCallsOfConnection);
  // Without this a second server would share the port, and get every other connection.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  grpc::ResourceQuota quota("wakegate-mgmt");
  quota.SetMaxThreads(kMaxThreads);
  builder.SetResourceQuota(quota);
}

}  // namespace

Server::Server(Controller& controller)
    : controller_(controller),
      gateway_service_(controller),
      tuning_service_(controller),
      stats_service_([&controller] { return controller.view(); },
                     [&controller](const std::string& port, Deadline deadline) {
                       return controller.GetDeviceStats(port, deadline);
                     }) {}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(Controller& controller,
                                                      const std::string& socket_path,
                                                      const ListenAddress& address) {
  if (absl::Status status = FreeSocketPath(socket_path); !status.ok()) return status;
  if (absl::Status status = address.CheckFree("--listen"); !status.ok()) return status;
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  std::unique_ptr<Server> server(new Server(controller));
  grpc::ServerBuilder builder;
  SetLimits(builder);
  builder.AddListeningPort("unix:" + socket_path, grpc::InsecureServerCredentials());
  builder.AddListeningPort(address.text(), grpc::InsecureServerCredentials(), &server->tcp_port_);
  builder.RegisterService(&server->gateway_service_);
  builder.RegisterService(&server->tuning_service_);
  builder.RegisterService(&server->stats_service_);
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr) {
    return absl::UnavailableError(absl::StrCat("listen on ", socket_path, " and ", address.text(),
                                               ": gRPC could not; its log above says why"));
  }
  if (chmod(socket_path.c_str(), 0660) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("chmod ", socket_path));
  }
  server->UpdateHealth();
  return server;
}

Server::~Server() {
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now() + kShutdownGrace);
}

void Server::UpdateHealth() {
  server_->GetHealthCheckService()->SetServingStatus(kDataplaneHealth,
                                                     controller_.view()->in_sync());
}

}  // namespace wakegate
