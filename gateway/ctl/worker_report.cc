#include "gateway/ctl/worker_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "gateway/ctl/counts.h"
#include "gateway/ctl/difference.h"
#include "gateway/ctl/elapsed.h"

namespace wakegate {
namespace {

double ValueOf(const CounterMap& counts, const char* name) {
  return static_cast<double>(CountOf(counts, name));
}

// The worker that had the queue at the earlier snapshot; the one of the later where it is new.
uint32_t EarlierWorker(const v1::StatsSnapshot& before, const v1::QueueStats& queue) {
  for (const v1::QueueStats& earlier : before.queues()) {
    if (earlier.port() == queue.port() && earlier.direction() == queue.direction() &&
        earlier.queue() == queue.queue()) {
      return earlier.worker();
    }
  }
  return queue.worker();
}

void FillTrigger(const v1::ListPortsResponse& ports, ctl::v1::WorkerQueueReport& report) {
  for (const v1::PortStatus& port : ports.ports()) {
    if (port.name() != report.counts().port()) continue;
    for (const v1::QueueStatus& queue : port.queues()) {
      if (queue.queue() != report.counts().queue()) continue;
      report.set_rx_trigger(queue.rx_trigger());
      report.set_rx_trigger_text(queue.rx_trigger_text());
    }
  }
}

// Of a worker whose time was `cycles`.
void FillCost(double cycles, ctl::v1::WorkerQueueReport& report) {
  const double busy = ValueOf(report.counts().counters(), "busy_cycles");
  const double packets = ValueOf(report.counts().counters(), "packets");
  if (packets > 0) report.set_cycles_per_packet(busy / packets);
  report.set_share(cycles > 0 ? busy / cycles : 0);
}

double CyclesBetween(const v1::StatsSnapshot& before, const v1::StatsSnapshot& after) {
  return SecondsBetween(before.time(), after.time()) * static_cast<double>(after.tsc_hz());
}

// `elapsed`: cycles between the snapshots.
double FillTime(double elapsed, ctl::v1::WorkerReport& report) {
  const CounterMap& counters = report.counts().counters();
  const double busy = ValueOf(counters, "busy_cycles");
  const double idle = ValueOf(counters, "idle_cycles");
  // A sleep counts when it ends: what is missing is one that has not.
  const double asleep = std::max<double>(ValueOf(counters, "asleep_cycles"), elapsed - busy - idle);
  const double all = busy + idle + asleep;
  if (all > 0) {
    report.set_busy(busy / all);
    report.set_idle(idle / all);
    report.set_asleep(asleep / all);
  }
  return all;
}

// What the report is made of, of all that `snapshot` has.
v1::StatsSnapshot PartFor(const ctl::v1::WorkersReport& report, const v1::StatsSnapshot& snapshot) {
  std::set<std::tuple<std::string, v1::Direction, uint32_t>> queues;
  std::set<uint32_t> workers;
  for (const ctl::v1::WorkerReport& worker : report.workers()) {
    workers.insert(worker.status().worker());
    for (const ctl::v1::WorkerQueueReport& queue : worker.queues()) {
      const v1::QueueStats& counts = queue.counts();
      queues.emplace(counts.port(), counts.direction(), counts.queue());
    }
  }
  v1::StatsSnapshot part = snapshot;
  part.clear_ports();
  part.clear_workers();
  part.clear_queues();
  for (const v1::QueueStats& queue : snapshot.queues()) {
    if (queues.contains({queue.port(), queue.direction(), queue.queue()})) {
      *part.add_queues() = queue;
    }
  }
  for (const v1::WorkerStats& worker : snapshot.workers()) {
    if (workers.contains(worker.worker())) *part.add_workers() = worker;
  }
  return part;
}

}  // namespace

ctl::v1::WorkersReport MakeWorkersReport(const v1::StatsSnapshot& before,
                                         const v1::StatsSnapshot& after,
                                         const v1::DataplaneStatus& dataplane,
                                         const v1::ListPortsResponse& ports) {
  const v1::StatsSnapshot difference = Difference(before, after);
  ctl::v1::WorkersReport report;
  *report.mutable_from() = before.time();
  *report.mutable_to() = after.time();
  report.set_restarted(before.boot_id() != after.boot_id());
  const double elapsed = report.restarted() ? 0 : CyclesBetween(before, after);

  std::map<uint32_t, ctl::v1::WorkerReport> workers;
  for (const v1::WorkerStatus& status : dataplane.workers()) {
    *workers[status.worker()].mutable_status() = status;
  }
  for (const v1::WorkerStats& counts : difference.workers()) {
    *workers[counts.worker()].mutable_counts() = counts;
  }
  for (auto& [number, worker] : workers) {
    worker.mutable_status()->set_worker(number);
    worker.mutable_counts()->set_worker(number);
    const double cycles = FillTime(elapsed, worker);
    if (after.tsc_hz() > 0) {
      worker.set_longest_turn_microseconds(
          ValueOf(worker.counts().counters(), "longest_iteration_cycles") * 1e6 /
          static_cast<double>(after.tsc_hz()));
    }
    for (const v1::QueueStats& counts : difference.queues()) {
      if (counts.worker() != number) continue;
      ctl::v1::WorkerQueueReport& queue = *worker.add_queues();
      *queue.mutable_counts() = counts;
      const uint32_t earlier = EarlierWorker(before, counts);
      if (!report.restarted() && earlier != number) queue.set_moved_from(earlier);
      if (counts.direction() != v1::DIRECTION_RX) continue;
      FillTrigger(ports, queue);
      FillCost(cycles, queue);
    }
    *report.add_workers() = std::move(worker);
  }
  return report;
}

ctl::v1::WorkersReport MakeWorkerExplanation(const v1::StatsSnapshot& before,
                                             const v1::StatsSnapshot& after,
                                             const v1::DataplaneStatus& dataplane,
                                             const v1::ListPortsResponse& ports, uint32_t worker) {
  ctl::v1::WorkersReport report = MakeWorkersReport(before, after, dataplane, ports);
  auto& workers = *report.mutable_workers();
  workers.erase(
      std::remove_if(workers.begin(), workers.end(),
                     [&](const auto& other) { return other.status().worker() != worker; }),
      workers.end());
  *report.mutable_before() = PartFor(report, before);
  *report.mutable_after() = PartFor(report, after);
  return report;
}

double SecondsOf(const ctl::v1::WorkersReport& report) {
  return SecondsBetween(report.from(), report.to());
}

}  // namespace wakegate
