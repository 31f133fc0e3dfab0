#include "mgmt/services/stats_service.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/client/client.h"
#include "google/protobuf/util/time_util.h"
#include "mgmt/services/stats_snapshot.h"
#include "mgmt/services/stats_stream.h"

namespace wakegate {
namespace {

using google::protobuf::util::TimeUtil;

constexpr std::chrono::milliseconds kShortestInterval{100};
constexpr std::chrono::milliseconds kDefaultInterval{1000};
constexpr std::chrono::hours kLongestInterval{1};
// The data plane answers one caller after the other; an Apply takes its time.
constexpr std::chrono::seconds kLongestDeviceWait{10};

absl::StatusOr<std::chrono::nanoseconds> IntervalOf(const v1::StreamStatsRequest& request) {
  if (!request.has_interval()) return kDefaultInterval;
  const google::protobuf::Duration& interval = request.interval();
  // Before they are added: the sum of any two numbers need not fit.
  const bool fits = interval.seconds() >= 0 && interval.seconds() <= 3600 &&
                    interval.nanos() >= 0 && interval.nanos() < 1'000'000'000;
  const std::chrono::nanoseconds value(fits ? TimeUtil::DurationToNanoseconds(interval) : 0);
  if (value >= kShortestInterval && value <= kLongestInterval) return value;
  return absl::InvalidArgumentError(absl::StrCat("interval: ", interval.seconds(), " s and ",
                                                 interval.nanos(),
                                                 " ns are not from 100 ms to 1 h"));
}

}  // namespace

grpc::Status StatsService::GetStats(grpc::ServerContext*, const v1::GetStatsRequest* request,
                                    v1::GetStatsResponse* response) {
  const std::shared_ptr<const View> view = view_();
  const absl::StatusOr<PortFilter> filter = MakePortFilter(*view, request->ports());
  if (!filter.ok()) return ToGrpcStatus(filter.status());
  absl::StatusOr<v1::StatsSnapshot> snapshot = TakeStats(*view, *filter);
  if (!snapshot.ok()) return ToGrpcStatus(snapshot.status());
  *response->mutable_snapshot() = *std::move(snapshot);
  return grpc::Status::OK;
}

grpc::Status StatsService::GetDeviceStats(grpc::ServerContext* context,
                                          const v1::GetDeviceStatsRequest* request,
                                          v1::GetDeviceStatsResponse* response) {
  const Deadline deadline = std::min(context->deadline(), Within(kLongestDeviceWait));
  absl::StatusOr<internal::v1::GetDeviceStatsResponse> stats =
      device_stats_(request->port(), deadline);
  if (!stats.ok()) return ToGrpcStatus(stats.status());
  response->mutable_stats()->swap(*stats->mutable_stats());
  return grpc::Status::OK;
}

grpc::ServerWriteReactor<v1::StreamStatsResponse>* StatsService::StreamStats(
    grpc::CallbackServerContext*, const v1::StreamStatsRequest* request) {
  const absl::StatusOr<std::chrono::nanoseconds> interval = IntervalOf(*request);
  if (!interval.ok()) return new RefusedStatsStream(ToGrpcStatus(interval.status()));
  absl::StatusOr<PortFilter> filter = MakePortFilter(*view_(), request->ports());
  if (!filter.ok()) return new RefusedStatsStream(ToGrpcStatus(filter.status()));
  if (streams_.fetch_add(1) >= kMaxStreams) {
    streams_.fetch_sub(1);
    return new RefusedStatsStream(
        grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                     absl::StrCat(kMaxStreams, " streams are open, which is the most")));
  }
  return new StatsStream(view_, *std::move(filter), *interval, streams_);
}

}  // namespace wakegate
