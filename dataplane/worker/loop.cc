#include "dataplane/worker/loop.h"

#include <rte_cycles.h>

#include <algorithm>

#include "dataplane/forwarding/forward.h"
#include "dataplane/worker/worker.h"

namespace wakegate {
namespace {

using ledger::WakeCause;
using ledger::WorkerCounter;
using ledger::WorkerLevel;

Tsc Microseconds(uint64_t microseconds) { return rte_get_tsc_hz() / 1'000'000 * microseconds; }

}  // namespace

Loop::Loop(const LoopInputs& inputs, const IdleSettings& idle, rte_mempool* pool, rte_rcu_qsbr* rcu,
           unsigned rcu_reader, ledger::WorkerBlock& ledger)
    : inputs_(inputs),
      idle_settings_(idle),
      pool_(pool),
      rcu_(rcu),
      rcu_reader_(rcu_reader),
      ledger_(ledger),
      senders_(Worker::kReadyBits, /*blocked_retry=*/Microseconds(20)),
      sleeper_(inputs.bell, ledger),
      idle_(idle) {}

void Loop::Run() {
  rte_rcu_qsbr_thread_register(rcu_, rcu_reader_);
  rte_rcu_qsbr_thread_online(rcu_, rcu_reader_);
  Tsc now = rte_rdtsc();
  while (!inputs_.stop.load(std::memory_order_relaxed)) {
    const Plan* next = inputs_.next_plan.load(std::memory_order_acquire);
    if (next->serial != plan_serial_) Adopt(*next);
    const bool worked = Turn(now);
    const Tsc after = rte_rdtsc();
    CountTurn(worked, now, after);
    now = SleepIfIdle(worked, after);
    // From here to the next load nothing of the plan is touched.
    rte_rcu_qsbr_quiescent(rcu_, rcu_reader_);
  }
  receive_.CountAllIdleTurns();
  rte_rcu_qsbr_thread_offline(rcu_, rcu_reader_);
  rte_rcu_qsbr_thread_unregister(rcu_, rcu_reader_);
}

void Loop::Adopt(const Plan& plan) {
  plan_ = &plan;
  plan_serial_ = plan.serial;
  receive_.Adopt(plan);
  senders_.Adopt(plan);
  sleeper_.Adopt(plan);
  // A worker without queues has nothing to poll for.
  IdleSettings idle = idle_settings_;
  if (plan.empty()) idle.mode = IdleMode::kInterrupt;
  idle_ = IdlePolicy(idle);
  // A bit may have been taken for a sender that only this plan knows: look at all of them once.
  inputs_.ready.SetAll();
  ledger_.counters[WorkerCounter::kPlansAdopted].Add(1);
}

bool Loop::Turn(Tsc now) {
  const auto send = [this, now](uint32_t sender, Batch& batch) {
    senders_.Send(sender, batch, now);
  };
  bool worked = receive_.Run([&](const Receiver& receiver, Batch& batch) {
    Forward(batch, receiver.destination, pool_, *receiver.ledger, send);
  });
  worked |= senders_.TakeOver(inputs_.ready, now);
  senders_.Flush(now);
  return worked;
}

void Loop::CountTurn(bool worked, Tsc start, Tsc end) {
  const Tsc cycles = end - start;
  ledger_.counters[WorkerCounter::kIterations].Add(1);
  ledger_.counters[worked ? WorkerCounter::kBusyCycles : WorkerCounter::kIdleCycles].Add(cycles);
  ledger::Counter& longest = ledger_.levels[WorkerLevel::kLongestIterationCycles];
  if (cycles > longest.Get()) longest.Set(cycles);
  if (worked && woken_at_ != 0) {
    ledger_.wake_to_packet_microseconds.Record((end - woken_at_) / Microseconds(1));
    woken_at_ = 0;
  }
}

Tsc Loop::SleepIfIdle(bool worked, Tsc now) {
  const IdlePolicy::Decision decision =
      idle_.Next(worked || !receive_.all_drained(), now, senders_.NextDeadline());
  if (!decision.sleep) return now;
  receive_.CountAllIdleTurns();
  // The worker stays online while it blocks: what the plan names is not freed under an armed queue.
  // So it reports now that it has let go of earlier plans, after the bell is set and before it
  // looks for a new plan: control asks for the report first and rings then, and one sees the other.
  // If there is a new plan, nothing of this one is touched any more.
  const auto may_sleep = [this] {
    rte_rcu_qsbr_quiescent(rcu_, rcu_reader_);
    return !RungFor();
  };
  const std::optional<WakeCause> cause = sleeper_.Sleep(*plan_, senders_, now, decision.until,
                                                        may_sleep, [this] { return RungFor(); });
  const Tsc awake = rte_rdtsc();
  if (cause) {
    woken_at_ = awake;
    idle_.Woken(/*by_timer_only=*/*cause == WakeCause::kTimer, awake);
  }
  return awake;
}

std::optional<WakeCause> Loop::RungFor() const {
  if (inputs_.stop.load(std::memory_order_relaxed) ||
      inputs_.next_plan.load(std::memory_order_acquire)->serial != plan_serial_) {
    return WakeCause::kControl;
  }
  if (inputs_.ready.Any()) return WakeCause::kHandoff;
  return std::nullopt;
}

}  // namespace wakegate
