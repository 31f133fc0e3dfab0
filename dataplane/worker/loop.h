// What a worker does, turn by turn, on its own thread.
#ifndef DATAPLANE_WORKER_LOOP_H_
#define DATAPLANE_WORKER_LOOP_H_

#include <rte_mempool.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/kernel/call_ring.h"
#include "dataplane/trigger/trigger_set.h"
#include "dataplane/wakeup/doorbell.h"
#include "dataplane/wakeup/idle_policy.h"
#include "dataplane/wakeup/ready_bitmap.h"
#include "dataplane/worker/plan.h"
#include "dataplane/worker/receive_scan.h"
#include "dataplane/worker/sender_set.h"
#include "dataplane/worker/sleep.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// What the loop shares with the control thread.
struct LoopInputs {
  const std::atomic<const Plan*>& next_plan;  // Written by control; never null.
  const std::atomic<bool>& stop;              // Written by control.
  const std::atomic<bool>& cpu_is_shared;     // Written by control.
  std::atomic<uint64_t>& adopted_serial;      // Written by the worker: of the plan that it runs.
  ReadyBitmap& ready;
  Doorbell& bell;
};

// The worker's thread only.
class Loop {
 public:
  // The pointers outlive the loop.
  Loop(const LoopInputs& inputs, rte_mempool* pool, ledger::WorkerBlock& ledger);

  const absl::Status& ring_status() const { return triggers_.ring_status(); }
  // An error: it cannot batch calls.
  const absl::StatusOr<CallCosts>& call_costs() const { return call_costs_; }

  // Until `stop`.
  void Run();

 private:
  void SetUpCallRing();
  void Adopt(const Plan& plan);
  // Moves what there is to move. Says whether that was anything.
  bool Turn(Tsc now);
  void CountTurn(bool worked, Tsc start, Tsc end);
  void CountWake(bool worked);
  // Sleeps, yields or neither, as IdlePolicy says. Returns what the time is then.
  Tsc Rest(bool worked, Tsc now);
  Tsc Yield(Tsc now);
  Tsc Sleep(Tsc now, Tsc until);
  // What a ring of the bell would be for; nullopt where there is nothing.
  std::optional<ledger::WakeCause> RungFor() const;

  const LoopInputs inputs_;
  rte_mempool* const pool_;
  ledger::WorkerBlock& ledger_;

  const Plan* plan_ = nullptr;
  uint64_t plan_serial_ = 0;             // A later plan may have the address of an earlier one.
  std::unique_ptr<CallRing> call_ring_;  // Null where call_costs_ is an error.
  absl::StatusOr<CallCosts> call_costs_;
  TriggerSet triggers_;
  ReceiveScan receive_;
  SenderSet senders_;
  Sleeper sleeper_;
  IdlePolicy idle_;
  Tsc woken_at_ = 0;                            // 0 once a packet has been moved since.
  std::optional<ledger::WakeCause> woken_for_;  // Until the turn after it.
};

}  // namespace wakegate

#endif  // DATAPLANE_WORKER_LOOP_H_
