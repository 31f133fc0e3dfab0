#include "gateway/ctl/observation.h"

#include <chrono>
#include <thread>
#include <utility>

namespace wakegate {
namespace {

grpc::Status TakeSnapshot(Session& session, v1::StatsSnapshot& snapshot) {
  v1::GetStatsResponse response;
  const grpc::Status status = session.Call([&](grpc::ClientContext* context) {
    return session.client().stats().GetStats(context, v1::GetStatsRequest(), &response);
  });
  snapshot = std::move(*response.mutable_snapshot());
  return status;
}

}  // namespace

grpc::Status Observe(absl::Duration interval, Session& session, Observation& observation) {
  grpc::Status status = TakeSnapshot(session, observation.before);
  if (!status.ok()) return status;
  std::this_thread::sleep_for(absl::ToChronoNanoseconds(interval));
  status = TakeSnapshot(session, observation.after);
  if (!status.ok()) return status;
  v1::GetStatusResponse gateway;
  status = session.Call([&](grpc::ClientContext* context) {
    return session.client().gateway().GetStatus(context, v1::GetStatusRequest(), &gateway);
  });
  if (!status.ok()) return status;
  observation.dataplane = std::move(*gateway.mutable_dataplane());
  return session.Call([&](grpc::ClientContext* context) {
    return session.client().gateway().ListPorts(context, v1::ListPortsRequest(),
                                                &observation.ports);
  });
}

}  // namespace wakegate
