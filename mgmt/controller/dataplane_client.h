// The calls that mgmt makes to the data plane.
#ifndef MGMT_CONTROLLER_DATAPLANE_CLIENT_H_
#define MGMT_CONTROLLER_DATAPLANE_CLIENT_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "grpcpp/grpcpp.h"
#include "mgmt/controller/deadline.h"
#include "wakegate/internal/v1/dataplane.grpc.pb.h"

namespace wakegate {

// Thread safe. Connects, and connects again, by itself; a call while the data plane is away fails
// at once with UNAVAILABLE.
class DataplaneClient {
 public:
  explicit DataplaneClient(const std::string& socket_path);

  // After UNAVAILABLE, DEADLINE_EXCEEDED and CANCELLED it is not known whether it was applied.
  absl::Status Apply(const v1::GatewayConfig& config, uint64_t generation, Deadline deadline);
  absl::StatusOr<internal::v1::GetStateResponse> GetState(Deadline deadline);
  absl::StatusOr<internal::v1::GetDeviceStatsResponse> GetDeviceStats(const std::string& port,
                                                                      Deadline deadline);

  // From now on all calls end at once with CANCELLED, those under way too.
  void Stop();

 private:
  // Adds the context of a call under way to what Stop cancels, for as long as it lives.
  class ScopedCall;
  absl::Status Explain(const grpc::Status& status) const;

  const std::string socket_path_;
  const std::unique_ptr<internal::v1::DataplaneService::StubInterface> stub_;

  std::mutex mutex_;
  bool stopped_ = false;  // Guarded by mutex_, as is the next.
  std::set<grpc::ClientContext*> calls_;
};

}  // namespace wakegate

#endif  // MGMT_CONTROLLER_DATAPLANE_CLIENT_H_
