// One StreamStats call.
#ifndef MGMT_SERVICES_STATS_STREAM_H_
#define MGMT_SERVICES_STATS_STREAM_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "grpcpp/alarm.h"
#include "grpcpp/grpcpp.h"
#include "mgmt/controller/view.h"
#include "mgmt/services/stats_snapshot.h"
#include "wakegate/v1/stats.grpc.pb.h"

namespace wakegate {

// Writes a snapshot at once and then at each interval, on gRPC's threads; deletes itself when the
// call is over. At any time either a write is under way, or the alarm is set, or it is finished: a
// reader that does not keep up holds up the write, and no snapshot is taken meanwhile.
class StatsStream final : public grpc::ServerWriteReactor<v1::StreamStatsResponse> {
 public:
  // `open_streams`: is decremented at the end.
  StatsStream(ViewSource view, PortFilter filter, std::chrono::nanoseconds interval,
              std::atomic<int>& open_streams);

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  void Write();
  void OnAlarm(bool expired);

  const ViewSource view_;
  const PortFilter filter_;
  const std::chrono::nanoseconds interval_;
  std::atomic<int>& open_streams_;
  std::string boot_id_;  // The first snapshot's. Only Write uses it, of which one runs at a time.

  std::mutex mutex_;  // Guards all below.
  v1::StreamStatsResponse response_;
  std::chrono::system_clock::time_point next_write_;
  std::unique_ptr<grpc::Alarm> alarm_;  // Null while no alarm is set.
  bool cancelled_ = false;
};

// Ends with an error at once.
class RefusedStatsStream final : public grpc::ServerWriteReactor<v1::StreamStatsResponse> {
 public:
  explicit RefusedStatsStream(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace wakegate

#endif  // MGMT_SERVICES_STATS_STREAM_H_
