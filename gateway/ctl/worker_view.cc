#include "gateway/ctl/worker_view.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gateway/ctl/counts.h"
#include "gateway/ctl/numbers.h"
#include "gateway/ctl/table.h"
#include "gateway/ctl/worker_report.h"

namespace wakegate {
namespace {

using ctl::v1::WorkerQueueReport;
using ctl::v1::WorkerReport;
using ctl::v1::WorkersReport;

constexpr auto kRight = Table::Align::kRight;
constexpr std::size_t kMostWakeCauses = 3;

std::string PerSecond(uint64_t count, double seconds) {
  return ShortNumber(seconds > 0 ? static_cast<double>(count) / seconds : 0);
}

// What the worker called itself, and for its queues.
uint64_t SystemCalls(const WorkerReport& worker) {
  uint64_t calls = SumOf(worker.counts().system_calls_by_kind());
  for (const WorkerQueueReport& queue : worker.queues()) {
    calls += SumOf(queue.counts().system_calls_by_kind());
  }
  return calls;
}

// "packet 120/s, timer 3.0/s"
std::string TopWakes(const WorkerReport& worker, double seconds) {
  auto causes = GreatestFirst(worker.counts().wakes_by_cause());
  if (causes.size() > kMostWakeCauses) causes.resize(kMostWakeCauses);
  return absl::StrJoin(causes, ", ", [&](std::string* text, const auto& cause) {
    absl::StrAppend(text, cause.first, " ", PerSecond(cause.second, seconds), "/s");
  });
}

std::string Trigger(const WorkerQueueReport& queue) {
  if (queue.counts().direction() != v1::DIRECTION_RX) return "-";
  return queue.rx_trigger().empty() ? "memory" : queue.rx_trigger();
}

std::string FormatQueues(const WorkerReport& worker, double seconds) {
  Table table({{"QUEUE"},
               {"TRIGGER"},
               {"PACKETS/S", kRight},
               {"SYSCALLS/S", kRight},
               {"CYCLES/PACKET", kRight},
               {"OF WORKER", kRight}});
  for (const WorkerQueueReport& queue : worker.queues()) {
    const v1::QueueStats& counts = queue.counts();
    const bool receives = counts.direction() == v1::DIRECTION_RX;
    table.AddRow({absl::StrCat(counts.port(), "/", counts.queue(), receives ? " receive" : " send"),
                  Trigger(queue), PerSecond(CountOf(counts.counters(), "packets"), seconds),
                  PerSecond(SumOf(counts.system_calls_by_kind()), seconds),
                  queue.has_cycles_per_packet() ? ShortNumber(queue.cycles_per_packet()) : "-",
                  queue.has_share() ? Percent(queue.share()) : "-"});
    if (!queue.rx_trigger_text().empty()) table.AddNote(queue.rx_trigger_text());
    if (queue.has_moved_from())
      table.AddNote(absl::StrCat("came from worker ", queue.moved_from()));
  }
  std::string text;
  if (table.empty()) return text;
  for (const absl::string_view line : absl::StrSplit(table.ToString(), '\n', absl::SkipEmpty())) {
    absl::StrAppend(&text, "    ", line, "\n");
  }
  return text;
}

void AddNotes(const WorkerReport& worker, double seconds, Table& table) {
  const v1::WorkerStatus& status = worker.status();
  if (const std::string wakes = TopWakes(worker, seconds); !wakes.empty()) {
    table.AddNote("woken by: " + wakes);
  }
  if (status.shares_core()) table.AddNote("shares its CPU: blocks or yields rather than spins");
  if (!status.sleepless_ports().empty()) {
    table.AddNote(absl::StrCat("never sleeps, as these ports cannot wake it: ",
                               absl::StrJoin(status.sleepless_ports(), ", ")));
  }
  if (status.single_call_nanoseconds() > 0) {
    table.AddNote(absl::StrFormat("%s: %.0f ns in a batch, %.0f by itself",
                                  status.batches_calls() ? "taps: a burst is one system call"
                                                         : "taps: a call for each packet",
                                  status.batched_call_nanoseconds(),
                                  status.single_call_nanoseconds()));
  }
  if (!status.io_uring_text().empty()) table.AddNote("no io_uring: " + status.io_uring_text());
}

std::string FormatWorker(const WorkerReport& worker, double seconds) {
  Table table({{"WORKER"},
               {"CPU", kRight},
               {"POLICY"},
               {"BUSY", kRight},
               {"IDLE", kRight},
               {"ASLEEP", kRight},
               {"SLEEPS/S", kRight},
               {"TURNS/S", kRight},
               {"SYSCALLS/S", kRight},
               {"LONGEST TURN", kRight}});
  const v1::WorkerStatus& status = worker.status();
  const CounterMap& counters = worker.counts().counters();
  table.AddRow({absl::StrCat(status.worker()), absl::StrCat(status.cpu()),
                status.idle_policy().empty() ? "-" : status.idle_policy(), Percent(worker.busy()),
                Percent(worker.idle()), Percent(worker.asleep()),
                PerSecond(CountOf(counters, "sleeps"), seconds),
                PerSecond(CountOf(counters, "iterations"), seconds),
                PerSecond(SystemCalls(worker), seconds),
                ShortTime(worker.longest_turn_microseconds())});
  AddNotes(worker, seconds, table);
  return table.ToString() + FormatQueues(worker, seconds);
}

}  // namespace

std::string FormatWorkers(const WorkersReport& report) {
  std::string text;
  for (const WorkerReport& worker : report.workers()) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", FormatWorker(worker, SecondsOf(report)));
  }
  return text.empty() ? "no workers\n" : text;
}

}  // namespace wakegate
