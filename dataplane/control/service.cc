#include "dataplane/control/service.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gateway/client/status.h"
#include "gateway/files/socket_path.h"

namespace wakegate {

DataplaneService::DataplaneService(Gateway& gateway, std::string ledger_path)
    : gateway_(gateway), ledger_path_(std::move(ledger_path)) {}

grpc::Status DataplaneService::Apply(grpc::ServerContext* context,
                                     const internal::v1::ApplyRequest* request,
                                     internal::v1::ApplyResponse*) {
  return ToGrpcStatus(gateway_.Apply(request->config(), request->generation(),
                                     [context] { return context->IsCancelled(); }));
}

grpc::Status DataplaneService::GetState(grpc::ServerContext*, const internal::v1::GetStateRequest*,
                                        internal::v1::GetStateResponse* response) {
  *response = gateway_.State();
  response->set_ledger_path(ledger_path_);
  return grpc::Status::OK;
}

grpc::Status DataplaneService::GetDeviceStats(grpc::ServerContext*,
                                              const internal::v1::GetDeviceStatsRequest* request,
                                              internal::v1::GetDeviceStatsResponse* response) {
  const absl::StatusOr<std::map<std::string, uint64_t>> stats =
      gateway_.DeviceStats(request->port());
  if (!stats.ok()) return ToGrpcStatus(stats.status());
  response->mutable_stats()->insert(stats->begin(), stats->end());
  return grpc::Status::OK;
}

absl::StatusOr<std::unique_ptr<grpc::Server>> StartServer(const std::string& socket_path,
                                                          DataplaneService& service) {
  if (absl::Status status = FreeSocketPath(socket_path); !status.ok()) return status;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(absl::StrCat("unix:", socket_path), grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  // Few calls, from one client.
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, 2);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    return absl::InternalError(absl::StrCat("gRPC cannot listen on unix:", socket_path));
  }
  if (chmod(socket_path.c_str(), 0660) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("chmod 0660 ", socket_path));
  }
  return server;
}

}  // namespace wakegate
