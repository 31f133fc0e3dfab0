#include "mgmt/services/stats_stream.h"

#include <algorithm>
#include <utility>

#include "gateway/client/client.h"

namespace wakegate {

StatsStream::StatsStream(ViewSource view, PortFilter filter, std::chrono::nanoseconds interval,
                         std::atomic<int>& open_streams)
    : view_(std::move(view)),
      filter_(std::move(filter)),
      interval_(interval),
      open_streams_(open_streams),
      next_write_(std::chrono::system_clock::now()) {
  Write();
}

// Finish and StartWrite come last, without the lock: what follows them on another thread may
// delete this object.
void StatsStream::Write() {
  absl::StatusOr<v1::StatsSnapshot> snapshot = TakeStats(*view_(), filter_);
  if (!snapshot.ok()) return Finish(ToGrpcStatus(snapshot.status()));
  if (boot_id_.empty()) boot_id_ = snapshot->boot_id();
  if (boot_id_ != snapshot->boot_id()) {
    return Finish({grpc::StatusCode::UNAVAILABLE, "the data plane was started again"});
  }
  {
    const std::lock_guard lock(mutex_);
    *response_.mutable_snapshot() = *std::move(snapshot);
    const auto interval =
        std::chrono::duration_cast<std::chrono::system_clock::duration>(interval_);
    next_write_ = std::max(next_write_ + interval, std::chrono::system_clock::now());
  }
  StartWrite(&response_);
}

void StatsStream::OnWriteDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    if (ok && !cancelled_) {
      // An alarm for each turn: the last one's callback may not have returned yet.
      alarm_ = std::make_unique<grpc::Alarm>();
      alarm_->Set(next_write_, [this](bool expired) { OnAlarm(expired); });
      return;
    }
  }
  Finish(grpc::Status::CANCELLED);
}

void StatsStream::OnAlarm(bool expired) {
  {
    const std::lock_guard lock(mutex_);  // Not before OnWriteDone or OnCancel is through.
    alarm_.reset();
  }
  if (expired) {
    Write();
  } else {
    Finish(grpc::Status::CANCELLED);
  }
}

void StatsStream::OnCancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (alarm_ != nullptr) alarm_->Cancel();
}

void StatsStream::OnDone() {
  open_streams_.fetch_sub(1);
  delete this;
}

}  // namespace wakegate
