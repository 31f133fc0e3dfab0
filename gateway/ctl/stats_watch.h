// A stream of the counters that outlives the data plane.
#ifndef GATEWAY_CTL_STATS_WATCH_H_
#define GATEWAY_CTL_STATS_WATCH_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "gateway/ctl/session.h"
#include "wakegate/v1/stats.pb.h"

namespace wakegate {

// Follow() on one thread; Interrupt() on any.
class StatsWatch {
 public:
  // Gets each snapshot; whether it wants more.
  using OnSnapshot = std::function<bool(const v1::StatsSnapshot& snapshot)>;
  // Gets, once for each time, why no snapshots come; empty: they come again.
  using OnGone = std::function<void(const std::string& why)>;

  explicit StatsWatch(Session& session) : session_(session) {}

  // Until `on_snapshot` wants no more or Interrupt is called: OK. A stream that ends UNAVAILABLE
  // after it gave a snapshot (the data plane or mgmt is gone) is asked for again each half second;
  // any other error ends it.
  grpc::Status Follow(const v1::StreamStatsRequest& request, const OnSnapshot& on_snapshot,
                      const OnGone& on_gone);
  void Interrupt();

 private:
  enum class End { kDone, kBroken };

  End Stream(const v1::StreamStatsRequest& request, const OnSnapshot& on_snapshot,
             grpc::Status& status);
  // False where it was interrupted.
  bool Pause();

  Session& session_;
  std::mutex mutex_;  // Guards all below.
  std::condition_variable interruption_;
  bool interrupted_ = false;
  grpc::ClientContext* context_ = nullptr;  // Of the stream under way.
};

}  // namespace wakegate

#endif  // GATEWAY_CTL_STATS_WATCH_H_
