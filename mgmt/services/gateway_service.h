// wakegate.v1.GatewayService on the controller.
#ifndef MGMT_SERVICES_GATEWAY_SERVICE_H_
#define MGMT_SERVICES_GATEWAY_SERVICE_H_

#include "grpcpp/grpcpp.h"
#include "mgmt/controller/controller.h"
#include "wakegate/v1/gateway.grpc.pb.h"

namespace wakegate {

// Thread safe. Only Apply waits for anything.
class GatewayService final : public v1::GatewayService::Service {
 public:
  explicit GatewayService(Controller& controller) : controller_(controller) {}

  grpc::Status Apply(grpc::ServerContext* context, const v1::ApplyRequest* request,
                     v1::ApplyResponse* response) override;
  grpc::Status GetConfig(grpc::ServerContext* context, const v1::GetConfigRequest* request,
                         v1::GetConfigResponse* response) override;
  grpc::Status ListPorts(grpc::ServerContext* context, const v1::ListPortsRequest* request,
                         v1::ListPortsResponse* response) override;
  grpc::Status GetStatus(grpc::ServerContext* context, const v1::GetStatusRequest* request,
                         v1::GetStatusResponse* response) override;

 private:
  Controller& controller_;
};

}  // namespace wakegate

#endif  // MGMT_SERVICES_GATEWAY_SERVICE_H_
