#include "mgmt/services/gateway_service.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gateway/client/client.h"
#include "gateway/version/version.h"

namespace wakegate {

grpc::Status GatewayService::Apply(grpc::ServerContext* context, const v1::ApplyRequest* request,
                                   v1::ApplyResponse* response) {
  ChangeOptions options{.dry_run = request->dry_run(), .deadline = context->deadline()};
  if (request->has_expected_generation()) {
    options.expected_generation = request->expected_generation();
  }
  absl::StatusOr<ChangeResult> result = controller_.Apply(request->config(), options);
  if (!result.ok()) return ToGrpcStatus(result.status());
  response->set_generation(result->generation);
  response->mutable_changes()->Assign(result->changes.begin(), result->changes.end());
  return grpc::Status::OK;
}

grpc::Status GatewayService::GetConfig(grpc::ServerContext*, const v1::GetConfigRequest*,
                                       v1::GetConfigResponse* response) {
  const std::shared_ptr<const View> view = controller_.view();
  if (!view->desired_known) return ToGrpcStatus(view->connection);
  *response->mutable_config() = view->desired.config();
  response->set_generation(view->desired.generation());
  return grpc::Status::OK;
}

grpc::Status GatewayService::ListPorts(grpc::ServerContext*, const v1::ListPortsRequest*,
                                       v1::ListPortsResponse* response) {
  const std::shared_ptr<const View> view = controller_.view();
  if (!view->connection.ok()) return ToGrpcStatus(view->connection);
  auto& ports = *response->mutable_ports();
  ports = view->dataplane.ports();
  std::sort(ports.begin(), ports.end(),
            [](const v1::PortStatus& a, const v1::PortStatus& b) { return a.name() < b.name(); });
  return grpc::Status::OK;
}

grpc::Status GatewayService::GetStatus(grpc::ServerContext*, const v1::GetStatusRequest*,
                                       v1::GetStatusResponse* response) {
  const std::shared_ptr<const View> view = controller_.view();
  response->set_mgmt_version(kVersion);
  response->set_dataplane_connected(view->connection.ok());
  const absl::Status& trouble = view->connection.ok() ? view->sync : view->connection;
  response->set_dataplane_text(std::string(trouble.message()));
  *response->mutable_dataplane() = view->dataplane.status();
  response->set_generation(view->desired.generation());
  response->set_in_sync(view->in_sync());
  response->set_stored_config_text(view->stored_config_text);
  return grpc::Status::OK;
}

}  // namespace wakegate
