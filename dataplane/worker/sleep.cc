#include "dataplane/worker/sleep.h"

#include <rte_cycles.h>

#include <chrono>
#include <ctime>

namespace wakegate {
namespace {

using ledger::SystemCall;
using ledger::WakeCause;
using ledger::WorkerCounter;

constexpr long kSecond = 1'000'000'000;

std::chrono::nanoseconds ToTime(Tsc cycles) {
  const uint64_t hz = rte_get_tsc_hz();
  return std::chrono::seconds(cycles / hz) + std::chrono::nanoseconds(cycles % hz * kSecond / hz);
}

}  // namespace

void Sleeper::Adopt(const Plan& plan) {
  fds_.clear();
  fds_.reserve(1 + plan.receivers.size() + plan.senders.size());
}

bool Sleeper::ArmAll(const Plan& plan, const SenderSet& senders) {
  for (size_t i = 0; i < plan.receivers.size(); ++i) {
    if (plan.receivers[i].queue.Arm()) continue;
    while (i-- > 0) plan.receivers[i].queue.Disarm();
    receive_.LookAtAll();
    return false;
  }
  bool all_armed = true;
  senders.VisitBlocked(
      [&](uint32_t, const Sender& sender) { all_armed = all_armed && sender.queue.Arm(); });
  if (!all_armed) DisarmAll(plan, senders);
  return all_armed;
}

void Sleeper::DisarmAll(const Plan& plan, const SenderSet& senders) {
  for (const Receiver& receiver : plan.receivers) receiver.queue.Disarm();
  senders.VisitBlocked([](uint32_t, const Sender& sender) { sender.queue.Disarm(); });
}

Sleeper::Fired Sleeper::Block(const Plan& plan, const SenderSet& senders, Tsc now, Tsc until) {
  Fired fired;
  const Tsc cycles = until > now ? until - now : 0;
  if (triggers_.ring() != nullptr) {
    BlockInRing(plan, senders, cycles, fired);
  } else {
    BlockInPoll(plan, senders, cycles, fired);
  }
  const Tsc awake = rte_rdtsc();
  ledger_.counters[WorkerCounter::kSleeps].Add(1);
  ledger_.counters[WorkerCounter::kAsleepCycles].Add(awake - now);
  // The time may seem not quite up: EAL rounds the TSC's rate to 10 MHz, which makes up to 0.5 %.
  fired.timeout = awake + cycles / 100 >= until;
  // A signal ends a wait without a file that is readable.
  fired.packet |= receive_.LookAtTriggers();
  return fired;
}

// What has been watched and has not fired since goes on being watched: nothing is to be prepared
// for it, nor undone after.
void Sleeper::BlockInRing(const Plan& plan, const SenderSet& senders, Tsc cycles, Fired& fired) {
  PollRing& ring = *triggers_.ring();
  const auto watch = [&ring](uint32_t slot, int fd) {
    if (!ring.IsWatched(slot)) ring.Prepare(slot, fd);
  };
  const uint64_t calls = ring.system_calls();
  watch(kBellSlot, bell_.fd());
  for (uint32_t i = 0; i < plan.receivers.size(); ++i) {
    watch(i, plan.receivers[i].queue.wait_fd());
    receive_.WatchedByRing(i);
  }
  // Readable, even where it waits for a device to be writable: a bell is always writable.
  senders.VisitBlocked([&](uint32_t sender, const Sender& blocked) {
    watch(kMostQueues + sender, blocked.queue.wait_fd());
  });
  ring.Wait(ToTime(cycles));
  ring.TakeFired([&](uint32_t slot) {
    if (slot == kBellSlot) return;
    if (slot >= kMostQueues) {
      fired.room = true;
      return;
    }
    receive_.Fired(slot);
    fired.packet = true;
  });
  ledger_.system_calls[SystemCall::kIoUringEnter].Add(ring.system_calls() - calls);
}

void Sleeper::BlockInPoll(const Plan& plan, const SenderSet& senders, Tsc cycles, Fired& fired) {
  fds_.clear();
  const auto watch = [this](int fd) { fds_.push_back({.fd = fd, .events = POLLIN, .revents = 0}); };
  watch(bell_.fd());
  for (const Receiver& receiver : plan.receivers) watch(receiver.queue.wait_fd());
  senders.VisitBlocked([&](uint32_t, const Sender& sender) { watch(sender.queue.wait_fd()); });
  const std::chrono::nanoseconds time = ToTime(cycles);
  const timespec timeout = {.tv_sec = time.count() / kSecond, .tv_nsec = time.count() % kSecond};
  ledger_.system_calls[SystemCall::kPoll].Add(1);
  const int ready = ppoll(fds_.data(), fds_.size(), &timeout, nullptr);
  for (uint32_t i = 1; ready > 0 && i < fds_.size(); ++i) {
    if (fds_[i].revents == 0) continue;
    if (i <= plan.receivers.size()) {
      receive_.Fired(i - 1);
      fired.packet = true;
    } else {
      fired.room = true;
    }
  }
}

WakeCause Sleeper::Cause(const Fired& fired, std::optional<WakeCause> rung_for) {
  if (rung_for) return *rung_for;
  if (fired.packet) return WakeCause::kPacket;
  if (fired.room) return WakeCause::kRoom;
  return fired.timeout ? WakeCause::kTimer : WakeCause::kSpurious;
}

void Sleeper::CountBell(bool rung) {
  if (rung) ledger_.system_calls[SystemCall::kEventfd].Add(1);
}

}  // namespace wakegate
