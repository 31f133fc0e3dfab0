#include "dataplane/worker/sleep.h"

#include <rte_cycles.h>

#include <algorithm>
#include <ctime>

namespace wakegate {
namespace {

using ledger::SystemCall;
using ledger::WakeCause;
using ledger::WorkerCounter;

timespec ToTimespec(Tsc cycles) {
  const uint64_t hz = rte_get_tsc_hz();
  return {.tv_sec = static_cast<time_t>(cycles / hz),
          .tv_nsec = static_cast<long>(cycles % hz * 1'000'000'000 / hz)};
}

}  // namespace

void Sleeper::Adopt(const Plan& plan) {
  fds_.clear();
  fds_.reserve(1 + plan.receivers.size() + plan.senders.size());
  fds_.push_back({.fd = bell_.fd(), .events = POLLIN, .revents = 0});
  for (const Receiver& receiver : plan.receivers) {
    fds_.push_back({.fd = receiver.queue.wait_fd(), .events = POLLIN, .revents = 0});
  }
}

bool Sleeper::ArmAll(const Plan& plan, const SenderSet& senders) {
  for (size_t i = 0; i < plan.receivers.size(); ++i) {
    if (plan.receivers[i].queue.Arm()) continue;
    while (i-- > 0) plan.receivers[i].queue.Disarm();
    return false;
  }
  bool all_armed = true;
  fds_.resize(1 + plan.receivers.size());
  senders.VisitBlocked([&](const Sender& sender) {
    all_armed = all_armed && sender.queue.Arm();
    // Readable, even where it waits for a device to be writable: a bell is always writable.
    fds_.push_back({.fd = sender.queue.wait_fd(), .events = POLLIN, .revents = 0});
  });
  if (!all_armed) DisarmAll(plan, senders);
  return all_armed;
}

void Sleeper::DisarmAll(const Plan& plan, const SenderSet& senders) {
  for (const Receiver& receiver : plan.receivers) receiver.queue.Disarm();
  senders.VisitBlocked([](const Sender& sender) { sender.queue.Disarm(); });
}

int Sleeper::Block(Tsc now, Tsc until) {
  const timespec timeout = ToTimespec(until > now ? until - now : 0);
  const int ready = ppoll(fds_.data(), fds_.size(), &timeout, nullptr);
  ledger_.counters[WorkerCounter::kSleeps].Add(1);
  ledger_.counters[WorkerCounter::kAsleepCycles].Add(rte_rdtsc() - now);
  ledger_.system_calls[SystemCall::kPoll].Add(1);
  return ready;
}

WakeCause Sleeper::Cause(const Plan& plan, int ready, std::optional<WakeCause> rung_for) const {
  bool packet = false;
  bool room = false;
  for (size_t i = 1; ready > 0 && i < fds_.size(); ++i) {
    if (fds_[i].revents == 0) continue;
    if (i <= plan.receivers.size()) {
      plan.receivers[i - 1].ledger->wakes[WakeCause::kPacket].Add(1);
      packet = true;
    } else {
      room = true;
    }
  }
  if (rung_for) return *rung_for;
  if (packet) return WakeCause::kPacket;
  if (room) return WakeCause::kRoom;
  return ready == 0 ? WakeCause::kTimer : WakeCause::kSpurious;
}

void Sleeper::CountBell(bool rung) {
  if (rung) ledger_.system_calls[SystemCall::kEventfd].Add(1);
}

}  // namespace wakegate
