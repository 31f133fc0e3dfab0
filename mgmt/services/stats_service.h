// wakegate.v1.StatsService on the ledger.
#ifndef MGMT_SERVICES_STATS_SERVICE_H_
#define MGMT_SERVICES_STATS_SERVICE_H_

#include <atomic>

#include "grpcpp/grpcpp.h"
#include "mgmt/controller/view.h"
#include "wakegate/v1/stats.grpc.pb.h"

namespace wakegate {

// Thread safe; waits for nobody. Streams run on gRPC's own few threads (its callback API), so that
// their number does not grow with that of the streams. Outlives the server, which ends them.
class StatsService final
    : public v1::StatsService::WithCallbackMethod_StreamStats<v1::StatsService::Service> {
 public:
  static constexpr int kMaxStreams = 64;

  explicit StatsService(ViewSource view) : view_(std::move(view)) {}

  grpc::Status GetStats(grpc::ServerContext* context, const v1::GetStatsRequest* request,
                        v1::GetStatsResponse* response) override;
  grpc::ServerWriteReactor<v1::StreamStatsResponse>* StreamStats(
      grpc::CallbackServerContext* context, const v1::StreamStatsRequest* request) override;

 private:
  const ViewSource view_;
  std::atomic<int> streams_ = 0;
};

}  // namespace wakegate

#endif  // MGMT_SERVICES_STATS_SERVICE_H_
