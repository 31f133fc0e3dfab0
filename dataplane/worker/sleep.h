// The only place where a worker blocks.
#ifndef DATAPLANE_WORKER_SLEEP_H_
#define DATAPLANE_WORKER_SLEEP_H_

#include <poll.h>

#include <optional>
#include <vector>

#include "dataplane/wakeup/doorbell.h"
#include "dataplane/worker/plan.h"
#include "dataplane/worker/sender_set.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// One worker.
class Sleeper {
 public:
  // `ledger`: the worker's.
  Sleeper(Doorbell& bell, ledger::WorkerBlock& ledger) : bell_(bell), ledger_(ledger) {}

  // Room for all that a plan may wait for, so that Sleep allocates nothing.
  void Adopt(const Plan& plan);

  // Arms all receivers, and the senders whose peer has no room; rolls back on the first that says
  // no; blocks once, until `until` at the latest; disarms. `may_sleep`: asked after the bell is
  // set and before anything is armed: whether there is still nothing that the bell would be rung
  // for. `rung_for`: asked once awake: what it was rung for, nullopt where that is gone. Returns
  // why it woke; nullopt where it did not block. Counts all of it.
  template <class MaySleep, class RungFor>
  std::optional<ledger::WakeCause> Sleep(const Plan& plan, const SenderSet& senders, Tsc now,
                                         Tsc until, MaySleep&& may_sleep, RungFor&& rung_for) {
    bell_.AboutToSleep();
    if (!may_sleep() || !ArmAll(plan, senders)) {
      CountBell(bell_.Awake());
      return std::nullopt;
    }
    const int ready = Block(now, until);
    DisarmAll(plan, senders);
    const bool rung = bell_.Awake();
    CountBell(rung);
    const ledger::WakeCause cause = Cause(plan, ready, rung ? rung_for() : std::nullopt);
    ledger_.wakes[cause].Add(1);
    return cause;
  }

 private:
  bool ArmAll(const Plan& plan, const SenderSet& senders);
  void DisarmAll(const Plan& plan, const SenderSet& senders);
  int Block(Tsc now, Tsc until);
  // Also counts the wakes of the queues.
  ledger::WakeCause Cause(const Plan& plan, int ready,
                          std::optional<ledger::WakeCause> rung_for) const;
  void CountBell(bool rung);

  Doorbell& bell_;
  ledger::WorkerBlock& ledger_;
  std::vector<pollfd> fds_;  // The bell, the receivers in their order, then blocked senders.
};

}  // namespace wakegate

#endif  // DATAPLANE_WORKER_SLEEP_H_
