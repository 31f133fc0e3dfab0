#include "gateway/ctl/stats_view.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gateway/ctl/numbers.h"
#include "gateway/ctl/table.h"

namespace wakegate {
namespace {

constexpr auto kRight = Table::Align::kRight;

// "packet 120/s, timer 3.1/s" of what happened in the interval; empty where nothing did.
std::string ListRates(const std::vector<NamedRate>& rates) {
  std::string text;
  for (const NamedRate& rate : rates) {
    if (rate.per_second == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", rate.name, " ", ShortNumber(rate.per_second),
                    "/s");
  }
  return text;
}

// Likewise with what was counted in all, and of all that ever happened: what is lost stays lost.
std::string ListTotals(const std::vector<NamedRate>& rates) {
  std::string text;
  for (const NamedRate& rate : rates) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", rate.name, " ", ShortNumber(rate.per_second),
                    "/s (", rate.total, " in all)");
  }
  return text;
}

void AddNote(const char* title, const std::string& text, Table& table) {
  if (!text.empty()) table.AddNote(absl::StrCat(title, ": ", text));
}

std::string SystemCallsPerPacket(const QueueRates& queue) {
  return queue.system_calls_per_packet.has_value() ? ShortNumber(*queue.system_calls_per_packet)
                                                   : "-";
}

// What differs between the tables of the two directions: their names and three columns.
struct DirectionView {
  v1::Direction direction;
  const char* heading;
  std::pair<const char*, double QueueRates::*> columns[3];
};

constexpr DirectionView kReceive = {v1::DIRECTION_RX,
                                    "RECEIVE",
                                    {{"POLLS/S", &QueueRates::polls_per_second},
                                     {"EMPTY/S", &QueueRates::empty_polls_per_second},
                                     {"FROM MEMORY/S", &QueueRates::polls_from_memory_per_second}}};

constexpr DirectionView kSend = {
    v1::DIRECTION_TX,
    "SEND   ",  // As wide as RECEIVE, so that the columns of both align.
    {{"KICKS/S", &QueueRates::kicks_sent_per_second},
     {"MERGED/S", &QueueRates::kicks_merged_per_second},
     {"NOT NEEDED/S", &QueueRates::kicks_not_needed_per_second}}};

void AddQueue(const QueueRates& queue, const DirectionView& view, Table& table) {
  table.AddRow({queue.port, absl::StrCat(queue.queue), ShortNumber(queue.packets_per_second),
                absl::StrFormat("%.1f", queue.megabits_per_second),
                ShortNumber(queue.*view.columns[0].second),
                ShortNumber(queue.*view.columns[1].second),
                ShortNumber(queue.*view.columns[2].second), SystemCallsPerPacket(queue),
                ShortNumber(queue.drops_per_second)});
  AddNote("woken by", ListRates(queue.wakes), table);
  AddNote("flushed for", ListRates(queue.flushes), table);
  AddNote("system calls", ListRates(queue.system_calls), table);
  AddNote("also", ListRates(queue.others), table);
  AddNote("errors", ListRates(queue.errors), table);
  AddNote("dropped", ListTotals(queue.drops), table);
  if (queue.held_packets > 0) AddNote("held now", absl::StrCat(queue.held_packets), table);
}

std::string FormatQueues(const StatsRates& rates, const DirectionView& view) {
  Table table({{view.heading},
               {"Q", kRight},
               {"PACKETS/S", kRight},
               {"MBIT/S", kRight},
               {view.columns[0].first, kRight},
               {view.columns[1].first, kRight},
               {view.columns[2].first, kRight},
               {"SYSCALLS/PKT", kRight},
               {"DROPS/S", kRight}});
  for (const QueueRates& queue : rates.queues) {
    if (queue.direction == view.direction) AddQueue(queue, view, table);
  }
  return table.empty() ? "" : absl::StrCat(table.ToString(), "\n");
}

std::string FormatWorkers(const StatsRates& rates) {
  Table table({{"WORKER"},
               {"BUSY", kRight},
               {"IDLE", kRight},
               {"ASLEEP", kRight},
               {"TURNS/S", kRight},
               {"SLEEPS/S", kRight},
               {"SYSCALLS/S", kRight},
               {"LONGEST TURN", kRight}});
  for (const WorkerRates& worker : rates.workers) {
    table.AddRow({absl::StrCat(worker.worker), Percent(worker.busy), Percent(worker.idle),
                  Percent(worker.asleep), ShortNumber(worker.iterations_per_second),
                  ShortNumber(worker.sleeps_per_second),
                  ShortNumber(worker.system_calls_per_second),
                  ShortTime(worker.longest_iteration_microseconds)});
    AddNote("woken by", ListRates(worker.wakes), table);
  }
  return table.empty() ? "" : absl::StrCat(table.ToString(), "\n");
}

std::string FormatDevices(const StatsRates& rates) {
  Table table({{"DEVICE"}, {"WHAT THE KERNEL LOST, BESIDE THE BOOKS"}});
  for (const DeviceRates& device : rates.devices) {
    table.AddRow({device.port, ""});
    table.AddNote(ListTotals(device.troubles));
  }
  return table.empty() ? "" : absl::StrCat(table.ToString(), "\n");
}

std::string FormatBooks(const v1::Books& books) {
  Table table({{"BOOKS"},
               {"RECEIVED", kRight},
               {"+ CREATED", kRight},
               {"= SENT", kRight},
               {"+ DROPPED", kRight},
               {"+ HELD", kRight},
               {"+ MERGED", kRight},
               {"DIFFERENCE", kRight}});
  table.AddRow({"packets", absl::StrCat(books.received()), absl::StrCat(books.created()),
                absl::StrCat(books.sent()), absl::StrCat(books.dropped()),
                absl::StrCat(books.held()), absl::StrCat(books.merged()),
                absl::StrCat(books.difference())});
  return table.ToString();
}

}  // namespace

std::string FormatStats(const StatsRates& rates) {
  std::string title = absl::StrFormat(
      "Wakegate at %s, over %.1f s",
      absl::FormatTime("%H:%M:%S", rates.time, absl::LocalTimeZone()), rates.seconds);
  if (rates.restarted) title += ", in which the data plane started anew";
  return absl::StrCat(title, "\n\n", FormatQueues(rates, kReceive), FormatQueues(rates, kSend),
                      FormatWorkers(rates), FormatDevices(rates), FormatBooks(rates.books));
}

}  // namespace wakegate
