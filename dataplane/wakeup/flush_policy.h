// When are held packets pushed to the peer? Pure: no clock, no file descriptor, no system call.
#ifndef DATAPLANE_WAKEUP_FLUSH_POLICY_H_
#define DATAPLANE_WAKEUP_FLUSH_POLICY_H_

#include <cstdint>
#include <optional>

#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/names.h"

namespace wakegate {

// Keeps a minimum spacing between two flushes: the first packet after a quiet time leaves at once,
// and those that follow within the interval wait for its end, together. A full batch does not wait.
// Nothing waits longer than the interval. One thread.
class FlushPolicy {
 public:
  // `interval`: in TSC cycles; 0: never hold anything back. `batch`: packets that make a full one.
  FlushPolicy(Tsc interval, uint32_t batch) : interval_(interval), batch_(batch) {}

  // Why to flush now, with `held` packets waiting; nothing where there is time until next_flush().
  // `held` is not 0.
  std::optional<ledger::FlushCause> Decide(uint32_t held, Tsc now) const {
    if (interval_ == 0) return ledger::FlushCause::kImmediate;
    if (held >= batch_) return ledger::FlushCause::kFull;
    if (now < next_flush_) return std::nullopt;
    return waiting_ ? ledger::FlushCause::kTimer : ledger::FlushCause::kImmediate;
  }

  // Packets wait for next_flush(): the flush to come is the timer's.
  void Waiting() { waiting_ = true; }
  // They have been flushed.
  void Flushed(Tsc now) {
    next_flush_ = now + interval_;
    waiting_ = false;
  }

  Tsc next_flush() const { return next_flush_; }

  // Live: what waits now keeps its time unless the new interval ends earlier.
  void SetInterval(Tsc interval, Tsc now) {
    if (now + interval < next_flush_) next_flush_ = now + interval;
    interval_ = interval;
  }

 private:
  Tsc interval_;
  uint32_t batch_;
  Tsc next_flush_ = 0;
  bool waiting_ = false;
};

}  // namespace wakegate

#endif  // DATAPLANE_WAKEUP_FLUSH_POLICY_H_
