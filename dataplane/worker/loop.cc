#include "dataplane/worker/loop.h"

#include <rte_cycles.h>
#include <sched.h>

#include <algorithm>
#include <utility>

#include "dataplane/forwarding/forward.h"
#include "dataplane/worker/worker.h"

namespace wakegate {
namespace {

using ledger::WakeCause;
using ledger::WorkerCounter;
using ledger::WorkerLevel;

Tsc Microseconds(uint64_t microseconds) { return rte_get_tsc_hz() / 1'000'000 * microseconds; }

}  // namespace

Loop::Loop(const LoopInputs& inputs, rte_mempool* pool, ledger::WorkerBlock& ledger)
    : inputs_(inputs),
      pool_(pool),
      ledger_(ledger),
      triggers_(Sleeper::kSlots, ledger),
      receive_(triggers_),
      senders_(Worker::kReadyBits, /*blocked_retry=*/Microseconds(20)),
      sleeper_(inputs.bell, triggers_, receive_, ledger),
      idle_(IdleSettings()) {
  SetUpCallRing();
}

void Loop::SetUpCallRing() {
  absl::StatusOr<std::unique_ptr<CallRing>> ring = CallRing::Create();
  call_costs_ = ring.ok() ? (*ring)->Measure() : ring.status();
  if (call_costs_.ok()) call_ring_ = *std::move(ring);
}

void Loop::Run() {
  Tsc now = rte_rdtsc();
  while (!inputs_.stop.load(std::memory_order_relaxed)) {
    const Plan* next = inputs_.next_plan.load(std::memory_order_acquire);
    if (next->serial != plan_serial_) Adopt(*next);
    const bool worked = Turn(now);
    const Tsc after = rte_rdtsc();
    CountTurn(worked, now, after);
    now = Rest(worked, after);
  }
  // Lets go of all files.
  static const Plan nothing;
  Adopt(nothing);
}

void Loop::Adopt(const Plan& plan) {
  receive_.CountAllIdleTurns();
  plan_ = &plan;
  plan_serial_ = plan.serial;
  receive_.Adopt(plan);
  senders_.Adopt(plan);
  sleeper_.Adopt(plan);
  CallRing::SetOfThisThread(plan.batches_calls ? call_ring_.get() : nullptr);
  // A worker without queues has nothing to poll for.
  IdleSettings idle = plan.idle;
  if (plan.empty()) idle.mode = IdleMode::kInterrupt;
  if (plan.sleepless) idle.mode = IdleMode::kPoll;
  idle_ = IdlePolicy(idle);
  // A bit may have been taken for a sender that only this plan knows: look at all of them once.
  inputs_.ready.SetAll();
  ledger_.counters[WorkerCounter::kPlansAdopted].Add(1);
  // Last: nothing of the plan before is touched any more, nor are its files watched.
  inputs_.adopted_serial.store(plan.serial, std::memory_order_release);
}

bool Loop::Turn(Tsc now) {
  const auto send = [this, now](uint32_t sender, Batch& batch) {
    senders_.Send(sender, batch, now);
  };
  bool worked = receive_.Run(now, [&](const Receiver& receiver, Batch& batch) {
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
  if (woken_for_) CountWake(worked);
  if (worked && woken_at_ != 0) {
    ledger_.wake_to_packet_microseconds.Record((end - woken_at_) / Microseconds(1));
    woken_at_ = 0;
  }
}

// Whether a packet was there that was announced, the turn after the sleep has shown.
void Loop::CountWake(bool worked) {
  const bool in_vain = *woken_for_ == WakeCause::kPacket && !worked;
  ledger_.wakes[in_vain ? WakeCause::kSpurious : *woken_for_].Add(1);
  woken_for_.reset();
}

Tsc Loop::Rest(bool worked, Tsc now) {
  const IdlePolicy::Decision decision =
      idle_.Next(worked || !receive_.all_drained(), now, senders_.NextDeadline(),
                 inputs_.cpu_is_shared.load(std::memory_order_relaxed));
  switch (decision.kind) {
    case IdlePolicy::Decision::Kind::kLookOn:
      return now;
    case IdlePolicy::Decision::Kind::kYield:
      return Yield(now);
    case IdlePolicy::Decision::Kind::kSleep:
      return Sleep(now, decision.until);
  }
  return now;
}

// It is idle meanwhile, not asleep: with none who wants the CPU it goes on at once.
Tsc Loop::Yield(Tsc now) {
  ledger_.system_calls[ledger::SystemCall::kYield].Add(1);
  sched_yield();
  // Others may have had the CPU for long.
  receive_.LookAtAll();
  const Tsc back = rte_rdtsc();
  ledger_.counters[WorkerCounter::kIdleCycles].Add(back - now);
  return back;
}

Tsc Loop::Sleep(Tsc now, Tsc until) {
  receive_.CountAllIdleTurns();
  // Control stores a new plan, then rings: after the bell is set one sees the other.
  const auto may_sleep = [this] { return !RungFor(); };
  woken_for_ =
      sleeper_.Sleep(*plan_, senders_, now, until, may_sleep, [this] { return RungFor(); });
  const Tsc awake = rte_rdtsc();
  if (woken_for_) {
    woken_at_ = awake;
    idle_.Woken(/*by_timer_only=*/*woken_for_ == WakeCause::kTimer, awake);
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
