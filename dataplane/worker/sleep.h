// The only place where a worker blocks.
#ifndef DATAPLANE_WORKER_SLEEP_H_
#define DATAPLANE_WORKER_SLEEP_H_

#include <poll.h>

#include <optional>
#include <vector>

#include "dataplane/trigger/trigger_set.h"
#include "dataplane/wakeup/doorbell.h"
#include "dataplane/worker/plan.h"
#include "dataplane/worker/receive_scan.h"
#include "dataplane/worker/sender_set.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// One worker. It waits with its io_uring where it has one, which watches idle queues already, and
// takes one system call for what is missing and the wait. Otherwise with ppoll.
class Sleeper {
 public:
  // How many slots of the ring are for receivers, from 0; the senders' follow, then the bell's.
  static constexpr uint32_t kMostQueues = 1024;
  static constexpr uint32_t kBellSlot = 2 * kMostQueues;
  static constexpr uint32_t kSlots = kBellSlot + 1;

  // `ledger`: the worker's.
  Sleeper(Doorbell& bell, TriggerSet& triggers, ReceiveScan& receive, ledger::WorkerBlock& ledger)
      : bell_(bell), triggers_(triggers), receive_(receive), ledger_(ledger) {}

  // Room for all that a plan may wait for, so that Sleep allocates nothing.
  void Adopt(const Plan& plan);

  // Arms all receivers, and the senders whose peer has no room; rolls back on the first that says
  // no; blocks once, until `until` at the latest; disarms. `may_sleep`: asked after the bell is
  // set and before anything is armed: whether there is still nothing that the bell would be rung
  // for. `rung_for`: asked once awake: what it was rung for, nullopt where that is gone. Returns
  // why it woke; nullopt where it did not block. Counts all but the cause.
  template <class MaySleep, class RungFor>
  std::optional<ledger::WakeCause> Sleep(const Plan& plan, const SenderSet& senders, Tsc now,
                                         Tsc until, MaySleep&& may_sleep, RungFor&& rung_for) {
    bell_.AboutToSleep();
    if (!may_sleep() || !ArmAll(plan, senders)) {
      CountBell(bell_.Awake());
      return std::nullopt;
    }
    const Fired fired = Block(plan, senders, now, until);
    DisarmAll(plan, senders);
    const bool rung = bell_.Awake();
    CountBell(rung);
    return Cause(fired, rung ? rung_for() : std::nullopt);
  }

 private:
  // What ended the wait.
  struct Fired {
    bool packet = false;
    bool room = false;
    bool timeout = false;
  };

  bool ArmAll(const Plan& plan, const SenderSet& senders);
  void DisarmAll(const Plan& plan, const SenderSet& senders);
  Fired Block(const Plan& plan, const SenderSet& senders, Tsc now, Tsc until);
  void BlockInRing(const Plan& plan, const SenderSet& senders, Tsc cycles, Fired& fired);
  void BlockInPoll(const Plan& plan, const SenderSet& senders, Tsc cycles, Fired& fired);
  static ledger::WakeCause Cause(const Fired& fired, std::optional<ledger::WakeCause> rung_for);
  void CountBell(bool rung);

  Doorbell& bell_;
  TriggerSet& triggers_;
  ReceiveScan& receive_;
  ledger::WorkerBlock& ledger_;
  std::vector<pollfd> fds_;  // Without a ring: the bell, the receivers, then blocked senders.
};

}  // namespace wakegate

#endif  // DATAPLANE_WORKER_SLEEP_H_
