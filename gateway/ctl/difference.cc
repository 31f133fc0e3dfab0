#include "gateway/ctl/difference.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "gateway/ctl/counts.h"
#include "gateway/ledger/names.h"

namespace wakegate {
namespace {

bool IsLevel(const std::string& name) {
  const auto is_it = [&](const ledger::Name& level) { return level.name == name; };
  return std::ranges::any_of(ledger::kRxLevelNames, is_it) ||
         std::ranges::any_of(ledger::kTxLevelNames, is_it) ||
         std::ranges::any_of(ledger::kWorkerLevelNames, is_it);
}

void Subtract(const CounterMap& before, CounterMap& after) {
  for (auto& [name, value] : after) {
    const auto found = before.find(name);
    if (found == before.end() || IsLevel(name) || found->second > value) continue;
    value -= found->second;
  }
}

void SubtractQueue(const v1::QueueStats& before, v1::QueueStats& after) {
  Subtract(before.counters(), *after.mutable_counters());
  Subtract(before.drops_by_reason(), *after.mutable_drops_by_reason());
  Subtract(before.system_calls_by_kind(), *after.mutable_system_calls_by_kind());
  Subtract(before.wakes_by_cause(), *after.mutable_wakes_by_cause());
  Subtract(before.flushes_by_cause(), *after.mutable_flushes_by_cause());
  Subtract(before.errors_by_kind(), *after.mutable_errors_by_kind());
  after.clear_histograms();
}

void SubtractWorker(const v1::WorkerStats& before, v1::WorkerStats& after) {
  Subtract(before.counters(), *after.mutable_counters());
  Subtract(before.wakes_by_cause(), *after.mutable_wakes_by_cause());
  Subtract(before.system_calls_by_kind(), *after.mutable_system_calls_by_kind());
  after.clear_histograms();
}

}  // namespace

v1::StatsSnapshot Difference(const v1::StatsSnapshot& before, const v1::StatsSnapshot& after) {
  const bool restarted = before.boot_id() != after.boot_id();
  std::map<std::tuple<std::string, v1::Direction, uint32_t>, v1::QueueStats> queues;
  std::map<uint32_t, v1::WorkerStats> workers;
  std::map<std::string, v1::PortStats> ports;
  if (!restarted) {
    for (const auto& queue : before.queues()) {
      queues[{queue.port(), queue.direction(), queue.queue()}] = queue;
    }
    for (const auto& worker : before.workers()) workers[worker.worker()] = worker;
    for (const auto& port : before.ports()) ports[port.port()] = port;
  }
  v1::StatsSnapshot difference = after;
  for (v1::QueueStats& queue : *difference.mutable_queues()) {
    SubtractQueue(queues[{queue.port(), queue.direction(), queue.queue()}], queue);
  }
  for (v1::WorkerStats& worker : *difference.mutable_workers()) {
    SubtractWorker(workers[worker.worker()], worker);
  }
  for (v1::PortStats& port : *difference.mutable_ports()) {
    Subtract(ports[port.port()].counters(), *port.mutable_counters());
  }
  return difference;
}

}  // namespace wakegate
