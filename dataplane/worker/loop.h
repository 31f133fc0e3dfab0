// What a worker does, turn by turn, on its own thread.
#ifndef DATAPLANE_WORKER_LOOP_H_
#define DATAPLANE_WORKER_LOOP_H_

#include <rte_mempool.h>
#include <rte_rcu_qsbr.h>

#include <atomic>
#include <cstdint>
#include <optional>

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
  ReadyBitmap& ready;
  Doorbell& bell;
};

// The worker's thread only.
class Loop {
 public:
  // The pointers outlive the loop. The thread is reader `rcu_reader` of `rcu`.
  Loop(const LoopInputs& inputs, const IdleSettings& idle, rte_mempool* pool, rte_rcu_qsbr* rcu,
       unsigned rcu_reader, ledger::WorkerBlock& ledger);

  // Until `stop`.
  void Run();

 private:
  void Adopt(const Plan& plan);
  // Moves what there is to move. Says whether that was anything.
  bool Turn(Tsc now);
  void CountTurn(bool worked, Tsc start, Tsc end);
  // Returns what the time is then.
  Tsc SleepIfIdle(bool worked, Tsc now);
  // What a ring of the bell would be for; nullopt where there is nothing.
  std::optional<ledger::WakeCause> RungFor() const;

  const LoopInputs inputs_;
  const IdleSettings idle_settings_;
  rte_mempool* const pool_;
  rte_rcu_qsbr* const rcu_;
  const unsigned rcu_reader_;
  ledger::WorkerBlock& ledger_;

  const Plan* plan_ = nullptr;
  uint64_t plan_serial_ = 0;  // A later plan may have the address of an earlier one.
  ReceiveScan receive_;
  SenderSet senders_;
  Sleeper sleeper_;
  IdlePolicy idle_;
  Tsc woken_at_ = 0;  // 0 once a packet has been moved since.
};

}  // namespace wakegate

#endif  // DATAPLANE_WORKER_LOOP_H_
