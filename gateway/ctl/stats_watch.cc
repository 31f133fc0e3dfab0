#include "gateway/ctl/stats_watch.h"

#include <chrono>
#include <memory>

namespace wakegate {
namespace {

constexpr std::chrono::milliseconds kAskAgain{500};

}  // namespace

StatsWatch::End StatsWatch::Stream(const v1::StreamStatsRequest& request,
                                   const OnSnapshot& on_snapshot, grpc::Status& status) {
  grpc::ClientContext context;
  {
    const std::lock_guard lock(mutex_);
    if (interrupted_) return End::kDone;
    context_ = &context;
  }
  const auto reader = session_.client().stats().StreamStats(&context, request);
  v1::StreamStatsResponse response;
  bool is_wanted = true;
  while (is_wanted && reader->Read(&response)) is_wanted = on_snapshot(response.snapshot());
  if (!is_wanted) context.TryCancel();
  status = reader->Finish();
  const std::lock_guard lock(mutex_);
  context_ = nullptr;
  return !is_wanted || interrupted_ ? End::kDone : End::kBroken;
}

grpc::Status StatsWatch::Follow(const v1::StreamStatsRequest& request,
                                const OnSnapshot& on_snapshot, const OnGone& on_gone) {
  bool has_begun = false;
  bool is_gone = false;
  const auto pass_on = [&](const v1::StatsSnapshot& snapshot) {
    if (is_gone) on_gone("");
    is_gone = false;
    has_begun = true;
    return on_snapshot(snapshot);
  };
  do {
    grpc::Status status;
    if (Stream(request, pass_on, status) == End::kDone) break;
    if (!has_begun || status.error_code() != grpc::StatusCode::UNAVAILABLE) return status;
    if (!is_gone) on_gone(status.error_message());
    is_gone = true;
  } while (Pause());
  return grpc::Status::OK;
}

bool StatsWatch::Pause() {
  std::unique_lock lock(mutex_);
  return !interruption_.wait_for(lock, kAskAgain, [this] { return interrupted_; });
}

void StatsWatch::Interrupt() {
  const std::lock_guard lock(mutex_);
  interrupted_ = true;
  if (context_ != nullptr) context_->TryCancel();
  interruption_.notify_all();
}

}  // namespace wakegate
