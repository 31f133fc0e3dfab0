#include "mgmt/services/tuning_service.h"

#include <memory>
#include <utility>

#include "gateway/client/client.h"
#include "mgmt/services/knob_list.h"

namespace wakegate {

grpc::Status TuningService::ListKnobs(grpc::ServerContext*, const v1::ListKnobsRequest* request,
                                      v1::ListKnobsResponse* response) {
  const std::shared_ptr<const View> view = controller_.view();
  absl::StatusOr<v1::ListKnobsResponse> knobs =
      wakegate::ListKnobs(view->desired.config(), view->workers(), *request);
  if (!knobs.ok()) return ToGrpcStatus(knobs.status());
  *response = *std::move(knobs);
  return grpc::Status::OK;
}

grpc::Status TuningService::SetKnob(grpc::ServerContext* context, const v1::SetKnobRequest* request,
                                    v1::SetKnobResponse* response) {
  absl::StatusOr<ChangeResult> result = controller_.SetKnob(*request, context->deadline());
  if (!result.ok()) return ToGrpcStatus(result.status());
  response->set_generation(result->generation);
  response->mutable_changes()->Assign(result->changes.begin(), result->changes.end());
  return grpc::Status::OK;
}

}  // namespace wakegate
