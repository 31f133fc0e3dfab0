#include "mgmt/controller/reconciler.h"

#include <chrono>
#include <utility>

#include "gateway/backoff/backoff.h"

namespace wakegate {
namespace {

constexpr std::chrono::milliseconds kPeriod{1000};
constexpr std::chrono::milliseconds kFirstRetry{50};

}  // namespace

Reconciler::Reconciler(Controller& controller, std::function<void()> after_turn)
    : controller_(controller), after_turn_(std::move(after_turn)), thread_([this] { Run(); }) {}

Reconciler::~Reconciler() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stop_changed_.notify_one();
  thread_.join();
}

void Reconciler::Run() {
  Backoff retry(kFirstRetry, kPeriod);
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    const bool answered = controller_.Reconcile().ok();
    after_turn_();
    if (answered) retry.Reset();
    lock.lock();
    stop_changed_.wait_for(lock, answered ? kPeriod : retry.Next(), [this] { return stop_; });
  }
}

}  // namespace wakegate
