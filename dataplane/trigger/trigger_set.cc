#include "dataplane/trigger/trigger_set.h"

#include <utility>

#include "absl/status/statusor.h"
#include "dataplane/trigger/epoll_trigger.h"
#include "dataplane/trigger/signal_trigger.h"
#include "dataplane/trigger/uring_trigger.h"

namespace wakegate {
namespace {

template <class Made>
Trigger* Keep(absl::StatusOr<std::unique_ptr<Made>> made, std::unique_ptr<Trigger>& place) {
  if (made.ok()) place = *std::move(made);
  return place.get();
}

}  // namespace

TriggerSet::TriggerSet(uint32_t slots, ledger::WorkerBlock& ledger)
    : slots_(slots), ledger_(ledger) {
  absl::StatusOr<std::unique_ptr<PollRing>> ring = PollRing::Create(slots);
  ring_status_ = ring.status();
  if (!ring.ok()) return;
  ring_ = *std::move(ring);
  uring_ = std::make_unique<UringTrigger>(*ring_, ledger);
}

Trigger* TriggerSet::Get(TriggerKind kind) {
  switch (kind) {
    case TriggerKind::kNone:
      return nullptr;
    case TriggerKind::kUring:
      return uring_.get();
    case TriggerKind::kSignal:
      if (signal_ == nullptr) return Keep(SignalTrigger::Create(slots_, ledger_), signal_);
      return signal_.get();
    case TriggerKind::kEpoll:
      if (epoll_ == nullptr) return Keep(EpollTrigger::Create(slots_, ledger_), epoll_);
      return epoll_.get();
  }
  return nullptr;
}

}  // namespace wakegate
