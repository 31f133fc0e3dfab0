#include "mgmt/controller/turnstile.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace wakegate {

absl::StatusOr<Turnstile::Pass> Turnstile::Enter(Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (waiting_ == kMaxWaiting) {
    return absl::ResourceExhaustedError(
        absl::StrCat(kMaxWaiting, " changes wait for their turn already; try again later"));
  }
  ++waiting_;
  const bool free = left_.wait_until(lock, deadline, [this] { return !taken_; });
  --waiting_;
  if (!free) {
    return absl::DeadlineExceededError(
        "another change took until the deadline; nothing was changed");
  }
  taken_ = true;
  return Pass(this);
}

Turnstile::Pass Turnstile::TryEnter() {
  const std::lock_guard lock(mutex_);
  if (taken_) return nullptr;
  taken_ = true;
  return Pass(this);
}

void Turnstile::Leave::operator()(Turnstile* turnstile) const {
  {
    const std::lock_guard lock(turnstile->mutex_);
    turnstile->taken_ = false;
  }
  turnstile->left_.notify_one();
}

}  // namespace wakegate
