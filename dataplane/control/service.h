// What mgmt calls.
#ifndef DATAPLANE_CONTROL_SERVICE_H_
#define DATAPLANE_CONTROL_SERVICE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "dataplane/control/gateway.h"
#include "grpcpp/grpcpp.h"
#include "wakegate/internal/v1/dataplane.grpc.pb.h"

namespace wakegate {

// Thread safe, like the gateway behind it, which outlives it.
class DataplaneService : public internal::v1::DataplaneService::Service {
 public:
  DataplaneService(Gateway& gateway, std::string ledger_path);

  grpc::Status Apply(grpc::ServerContext* context, const internal::v1::ApplyRequest* request,
                     internal::v1::ApplyResponse* response) override;
  grpc::Status GetState(grpc::ServerContext* context, const internal::v1::GetStateRequest* request,
                        internal::v1::GetStateResponse* response) override;
  grpc::Status GetDeviceStats(grpc::ServerContext* context,
                              const internal::v1::GetDeviceStatsRequest* request,
                              internal::v1::GetDeviceStatsResponse* response) override;

 private:
  Gateway& gateway_;
  const std::string ledger_path_;
};

// Serves on a Unix socket, mode 0660. A socket left by a process that is gone is replaced.
absl::StatusOr<std::unique_ptr<grpc::Server>> StartServer(const std::string& socket_path,
                                                          DataplaneService& service);

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_SERVICE_H_
