// wakegate.v1.TuningService on the controller.
#ifndef MGMT_SERVICES_TUNING_SERVICE_H_
#define MGMT_SERVICES_TUNING_SERVICE_H_

#include "grpcpp/grpcpp.h"
#include "mgmt/controller/controller.h"
#include "wakegate/v1/tuning.grpc.pb.h"

namespace wakegate {

// Thread safe. Only SetKnob waits for anything.
class TuningService final : public v1::TuningService::Service {
 public:
  explicit TuningService(Controller& controller) : controller_(controller) {}

  grpc::Status ListKnobs(grpc::ServerContext* context, const v1::ListKnobsRequest* request,
                         v1::ListKnobsResponse* response) override;
  grpc::Status SetKnob(grpc::ServerContext* context, const v1::SetKnobRequest* request,
                       v1::SetKnobResponse* response) override;

 private:
  Controller& controller_;
};

}  // namespace wakegate

#endif  // MGMT_SERVICES_TUNING_SERVICE_H_
