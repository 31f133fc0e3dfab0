// wakegate.v1.StatsService on the ledger.
#ifndef MGMT_SERVICES_STATS_SERVICE_H_
#define MGMT_SERVICES_STATS_SERVICE_H_

#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "grpcpp/grpcpp.h"
#include "mgmt/controller/deadline.h"
#include "mgmt/controller/view.h"
#include "wakegate/internal/v1/dataplane.pb.h"
#include "wakegate/v1/stats.grpc.pb.h"

namespace wakegate {

// Thread safe; waits for nobody but where it says so. Streams run on gRPC's own few threads (its
// callback API), so that their number does not grow with that of the streams. Outlives the server,
// which ends them.
class StatsService final
    : public v1::StatsService::WithCallbackMethod_StreamStats<v1::StatsService::Service> {
 public:
  static constexpr int kMaxStreams = 64;

  // Asks the data plane for a port's device.
  using DeviceStatsSource = std::function<absl::StatusOr<internal::v1::GetDeviceStatsResponse>(
      const std::string& port, Deadline deadline)>;

  StatsService(ViewSource view, DeviceStatsSource device_stats)
      : view_(std::move(view)), device_stats_(std::move(device_stats)) {}

  grpc::Status GetStats(grpc::ServerContext* context, const v1::GetStatsRequest* request,
                        v1::GetStatsResponse* response) override;
  // Waits for the data plane, for a few seconds at most.
  grpc::Status GetDeviceStats(grpc::ServerContext* context,
                              const v1::GetDeviceStatsRequest* request,
                              v1::GetDeviceStatsResponse* response) override;
  grpc::ServerWriteReactor<v1::StreamStatsResponse>* StreamStats(
      grpc::CallbackServerContext* context, const v1::StreamStatsRequest* request) override;

 private:
  const ViewSource view_;
  const DeviceStatsSource device_stats_;
  std::atomic<int> streams_ = 0;
};

}  // namespace wakegate

#endif  // MGMT_SERVICES_STATS_SERVICE_H_
