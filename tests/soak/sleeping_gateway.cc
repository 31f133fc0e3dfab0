#include "tests/soak/sleeping_gateway.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "dataplane/control/cpus.h"
#include "dataplane/netdev/namespace_for_test.h"

namespace wakegate::testing {
namespace {

constexpr std::chrono::seconds kLimit(5);

constexpr char kTwoPairs[] = R"(
ports:
  - {name: a0, tap: {}}
  - {name: a1, tap: {}}
  - {name: b0, tap: {}}
  - {name: b1, tap: {}}
cross_connects: [{a: a0, b: a1}, {a: b0, b: b1}]
)";

// The thread of this process with that name; 0: none.
pid_t FindThread(const std::string& wanted) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    int tid = 0;
    if (name == wanted && absl::SimpleAtoi(task.path().filename().string(), &tid)) return tid;
  }
  return 0;
}

}  // namespace

SleepingGateway::SleepingGateway(IdleMode mode)
    : cpus_before_(ThreadCpus()), gateway_({.idle_mode = mode}) {
  EXPECT_TRUE(SetThreadCpus({cpus_before_.front()}).ok());
  const absl::Status applied = gateway_.Apply(kTwoPairs);
  EXPECT_TRUE(applied.ok()) << applied;
  for (const char* name : {"a0", "a1", "b0", "b1"}) Ip(absl::StrCat("link set dev ", name, " up"));
  const std::pair<const char*, const char*> ends[] = {
      {"a0", "a1"}, {"a1", "a0"}, {"b0", "b1"}, {"b1", "b0"}};
  for (const auto& [from, to] : ends) {
    absl::StatusOr<PacketPath> path = PacketPath::Open(from, to);
    EXPECT_TRUE(path.ok()) << path.status();
    if (path.ok()) paths_.push_back(*std::move(path));
  }
  absl::StatusOr<RunQueueDelay> delay = RunQueueDelay::Of(getpid(), FindThread("worker-0"));
  EXPECT_TRUE(delay.ok()) << delay.status();
  if (delay.ok()) worker_delay_ = *std::move(delay);
  delay = RunQueueDelay::Of(getpid(), gettid());
  EXPECT_TRUE(delay.ok()) << delay.status();
  if (delay.ok()) own_delay_ = *std::move(delay);
}

SleepingGateway::~SleepingGateway() { EXPECT_TRUE(SetThreadCpus(cpus_before_).ok()); }

std::optional<Passage> SleepingGateway::Pass(std::size_t path) {
  const Wakes before = CountWakes();
  const std::chrono::nanoseconds own_wait = own_delay_->Read();
  const std::chrono::nanoseconds worker_wait = worker_delay_->Read();
  const std::optional<Delivery> delivery = paths_[path].Deliver(kLimit);
  if (!delivery.has_value()) return std::nullopt;
  // One after the other, so that they add up: we send, the worker forwards, we look. While the
  // worker is at it, it does not matter whether we run.
  const std::chrono::nanoseconds kept_from_running =
      worker_delay_->Read() - worker_wait + delivery->unseen +
      std::min(own_delay_->Read() - own_wait, delivery->sending_took);
  const Wakes after = CountWakes();
  Passage passage{delivery->took - kept_from_running, kept_from_running, ""};
  for (std::size_t cause = 0; cause < before.size(); ++cause) {
    if (after[cause] == before[cause]) continue;
    absl::StrAppend(&passage.cause, passage.cause.empty() ? "" : "+",
                    ledger::kWakeCauseNames[cause].name.data());
  }
  if (passage.cause.empty()) passage.cause = "awake";
  return passage;
}

SleepingGateway::Wakes SleepingGateway::CountWakes() const {
  Wakes wakes(ledger::kWakeCauseCount);
  for (const ledger::SlotSnapshot& slot : gateway_.TakeSnapshot().slots) {
    if (slot.identity().kind != ledger::SlotKind::kWorker) continue;
    for (std::size_t cause = 0; cause < wakes.size(); ++cause) {
      wakes[cause] += slot.worker().wakes[static_cast<ledger::WakeCause>(cause)].Get();
    }
  }
  return wakes;
}

}  // namespace wakegate::testing
