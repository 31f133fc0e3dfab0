// `explain worker` as text: the half of worker_view.h that says why.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "gateway/ctl/counts.h"
#include "gateway/ctl/numbers.h"
#include "gateway/ctl/table.h"
#include "gateway/ctl/worker_report.h"
#include "gateway/ctl/worker_view.h"
#include "gateway/ledger/names.h"

namespace wakegate {
namespace {

using ctl::v1::WorkerQueueReport;
using ctl::v1::WorkerReport;
using ctl::v1::WorkersReport;

// "a packet arrived" of the cause "packet"; its name where this program does not know it.
std::string Meaning(const std::string& cause) {
  for (const ledger::Name& name : ledger::kWakeCauseNames) {
    if (name.name != cause) continue;
    return std::string(
        absl::StripSuffix(absl::string_view(name.help.data(), name.help.size()), "."));
  }
  return cause;
}

std::string NameOf(const v1::QueueStats& queue) {
  return absl::StrCat(queue.port(), " queue ", queue.queue(),
                      queue.direction() == v1::DIRECTION_TX ? " (send)" : "");
}

class Explanation {
 public:
  Explanation(const WorkersReport& report, const WorkerReport& worker)
      : report_(report), worker_(worker), seconds_(SecondsOf(report)) {}

  std::string Text() {
    AddTitle();
    AddTime();
    AddWakes();
    AddLooks();
    AddKicks();
    AddSystemCalls();
    AddMoves();
    return std::move(text_);
  }

 private:
  std::string Times(uint64_t count) const { return TimesIn(count, seconds_); }
  std::string Rate(uint64_t count) const { return RateIn(count, seconds_); }
  uint64_t Own(const char* name) const { return CountOf(worker_.counts().counters(), name); }
  // Of all queues of that direction.
  uint64_t OfQueues(v1::Direction direction, const char* name) const {
    uint64_t sum = 0;
    for (const WorkerQueueReport& queue : worker_.queues()) {
      if (queue.counts().direction() == direction) sum += CountOf(queue.counts().counters(), name);
    }
    return sum;
  }
  // "tap0 queue 0 1100, veth0 queue 0 100": the queues for which `count` is not 0, greatest first.
  template <class Count>
  std::string EachQueue(const Count& count) const {
    CounterMap counts;
    for (const WorkerQueueReport& queue : worker_.queues()) {
      counts[NameOf(queue.counts())] += count(queue.counts());
    }
    return Listed(counts);
  }
  std::string EachQueue(v1::Direction direction, const char* name) const {
    return EachQueue([&](const v1::QueueStats& queue) {
      return queue.direction() == direction ? CountOf(queue.counters(), name) : 0;
    });
  }
  void Say(const std::string& sentence, std::size_t indent = 0) {
    text_ += WrapText(sentence, indent);
  }

  void AddTitle();
  void AddTime();
  void AddWakes();
  void AddLooks();
  void AddKicks();
  void AddSystemCalls();
  void AddMoves();
  std::string WhyNoSleep() const;

  const WorkersReport& report_;
  const WorkerReport& worker_;
  const double seconds_;
  std::string text_;
};

void Explanation::AddTitle() {
  const v1::WorkerStatus& status = worker_.status();
  Say(absl::StrCat("Worker ", status.worker(), " on CPU ", status.cpu(),
                   status.idle_policy().empty() ? "" : ", idle_policy ", status.idle_policy(),
                   status.shares_core() ? ", which it shares with others" : "", ", over ",
                   ShortTime(seconds_ * 1e6),
                   report_.restarted() ? ", in which the data plane started anew" : ""));
  text_ += "\n";
}

std::string Explanation::WhyNoSleep() const {
  const v1::WorkerStatus& status = worker_.status();
  if (!status.sleepless_ports().empty()) {
    return absl::StrCat("these ports cannot wake it: ",
                        absl::StrJoin(status.sleepless_ports(), ", "));
  }
  if (status.idle_policy() == "poll") return "idle_policy poll never sleeps";
  return "there was always something to do";
}

void Explanation::AddTime() {
  if (Own("iterations") == 0) return Say("It did not turn once: it was asleep all the while.");
  Say(absl::StrCat("It was busy ", Percent(worker_.busy()), " of its time, looked in vain ",
                   Percent(worker_.idle()), ", and was asleep ", Percent(worker_.asleep()),
                   ". It turned ", Times(Own("iterations")), "."));
  const uint64_t sleeps = Own("sleeps");
  if (sleeps == 0) return Say(absl::StrCat("It did not go to sleep: ", WhyNoSleep(), "."));
  Say(absl::StrCat("It slept ", Times(sleeps), ", for ",
                   ShortTime(worker_.asleep() * seconds_ * 1e6 / static_cast<double>(sleeps)),
                   " on average."));
}

void Explanation::AddWakes() {
  const auto causes = GreatestFirst(worker_.counts().wakes_by_cause());
  text_ += "\n";
  if (causes.empty()) return Say("Nothing woke it.");
  Say("What woke it, most often first:");
  Table table(
      {{"  CAUSE"}, {"COUNT", Table::Align::kRight}, {"PER S", Table::Align::kRight}, {""}});
  for (const auto& cause : causes) {
    const auto& [name, count] = cause;
    table.AddRow({"  " + name, absl::StrCat(count), Rate(count), Meaning(name)});
    const std::string queues = EachQueue([&cause](const v1::QueueStats& queue) {
      return CountOf(queue.wakes_by_cause(), cause.first);
    });
    if (!queues.empty()) table.AddNote("queues: " + queues);
  }
  text_ += table.ToString();
}

void Explanation::AddLooks() {
  const uint64_t polls = OfQueues(v1::DIRECTION_RX, "polls");
  text_ += "\n";
  Say(absl::StrCat(
      "It looked into its receive queues ", Times(polls), ", ",
      OfQueues(v1::DIRECTION_RX, "empty_polls"),
      " of them in vain. More looks were answered from memory, without a system call: ",
      Times(OfQueues(v1::DIRECTION_RX, "polls_from_memory")), "."));
  const uint64_t races = OfQueues(v1::DIRECTION_RX, "arm_races");
  if (races == 0) return;
  Say(absl::StrCat(Times(races), " a packet came just when it was about to sleep: ",
                   EachQueue(v1::DIRECTION_RX, "arm_races"), "."));
}

void Explanation::AddKicks() {
  const uint64_t kicks = OfQueues(v1::DIRECTION_TX, "kicks_sent");
  Say(absl::StrCat("It woke the other sides of its send queues ", Times(kicks),
                   kicks == 0 ? "" : ": ", EachQueue(v1::DIRECTION_TX, "kicks_sent"), ". ",
                   OfQueues(v1::DIRECTION_TX, "kicks_not_needed"), " bursts found them awake, and ",
                   OfQueues(v1::DIRECTION_TX, "kicks_merged"), " kicks were saved by waiting."));
}

void Explanation::AddSystemCalls() {
  CounterMap kinds = worker_.counts().system_calls_by_kind();
  for (const WorkerQueueReport& queue : worker_.queues()) {
    for (const auto& [kind, calls] : queue.counts().system_calls_by_kind()) kinds[kind] += calls;
  }
  const uint64_t all = SumOf(kinds);
  const uint64_t packets = OfQueues(v1::DIRECTION_RX, "packets");
  std::string text = absl::StrCat("It made ", all, " system calls (", Rate(all), "/s");
  if (packets > 0) {
    absl::StrAppend(&text, ", ",
                    ShortNumber(static_cast<double>(all) / static_cast<double>(packets)),
                    " for each of the ", packets, " packets it received");
  }
  const std::string each = Listed(kinds);
  Say(absl::StrCat(text, ")", each.empty() ? "" : ": ", each, "."));
}

void Explanation::AddMoves() {
  for (const WorkerQueueReport& queue : worker_.queues()) {
    if (!queue.has_moved_from()) continue;
    Say(absl::StrCat(NameOf(queue.counts()), " came from worker ", queue.moved_from(),
                     " meanwhile: a part of its counts is of that one."));
  }
}

}  // namespace

std::string FormatExplanation(const WorkersReport& report) {
  return report.workers().empty() ? "" : Explanation(report, report.workers(0)).Text();
}

}  // namespace wakegate
