// When does a worker that finds nothing stop looking, and sleep or yield? Pure: no clock, no system
// call.
#ifndef DATAPLANE_WAKEUP_IDLE_POLICY_H_
#define DATAPLANE_WAKEUP_IDLE_POLICY_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "dataplane/wakeup/queue_concepts.h"

namespace wakegate {

enum class IdleMode : uint8_t {
  kPoll,       // Never sleeps.
  kAdaptive,   // Spins for a while after the last packet, then sleeps.
  kInterrupt,  // Sleeps as soon as a turn finds nothing.
};

struct IdleSettings {
  IdleMode mode = IdleMode::kPoll;
  Tsc spin = 0;           // With kAdaptive: how long to look on after the last packet.
  Tsc longest_sleep = 0;  // A sleep ends after this at the latest.
  // A sleep cannot be kept shorter than this: for an earlier deadline the worker spins.
  Tsc shortest_sleep = 0;
};

// One worker.
class IdlePolicy {
 public:
  static constexpr Tsc kNoDeadline = std::numeric_limits<Tsc>::max();

  struct Decision {
    enum class Kind : uint8_t {
      kLookOn,
      kYield,  // Let others have the CPU, then look on.
      kSleep,
    };
    Kind kind = Kind::kLookOn;
    Tsc until = 0;  // With kSleep: wake then at the latest.
  };

  explicit IdlePolicy(const IdleSettings& settings) : settings_(settings) {}

  // At the end of each turn of the loop. `worked`: it moved a packet. `deadline`: when something
  // held must be flushed, or kNoDeadline. `cpu_is_shared`: while this thread spins, others that
  // want its CPU wait, and among them may be the kernel's processing of the very packets it waits
  // for.
  Decision Next(bool worked, Tsc now, Tsc deadline, bool cpu_is_shared) {
    if (worked) last_work_ = now;
    if (worked) return {};
    const Decision look_on = {cpu_is_shared ? Decision::Kind::kYield : Decision::Kind::kLookOn};
    if (settings_.mode == IdleMode::kPoll) return look_on;
    const bool spins = settings_.mode == IdleMode::kAdaptive && !cpu_is_shared;
    if (spins && now - last_work_ < settings_.spin) return look_on;
    if (deadline != kNoDeadline && deadline < now + settings_.shortest_sleep) return look_on;
    return {Decision::Kind::kSleep, std::min(deadline, now + settings_.longest_sleep)};
  }

  // After a sleep. Woken by the clock alone it does not spin anew: an idle worker stays idle.
  void Woken(bool by_timer_only, Tsc now) {
    if (!by_timer_only) last_work_ = now;
  }

 private:
  IdleSettings settings_;
  Tsc last_work_ = 0;
};

}  // namespace wakegate

#endif  // DATAPLANE_WAKEUP_IDLE_POLICY_H_
