#include "gateway/ctl/port_report.h"

#include <algorithm>
#include <utility>

#include "gateway/ctl/difference.h"

namespace wakegate {

ctl::v1::PortReport MakePortReport(const Observation& seen, const std::string& port) {
  const v1::StatsSnapshot difference = Difference(seen.before, seen.after);
  ctl::v1::PortReport report;
  *report.mutable_from() = seen.before.time();
  *report.mutable_to() = seen.after.time();
  report.set_restarted(seen.before.boot_id() != seen.after.boot_id());
  for (const v1::PortStatus& status : seen.ports.ports()) {
    if (status.name() == port) *report.mutable_status() = status;
  }
  for (const v1::QueueStats& queue : difference.queues()) {
    if (queue.port() == port) *report.add_queues() = queue;
  }
  std::ranges::stable_sort(*report.mutable_queues(), {}, [](const v1::QueueStats& queue) {
    return std::pair(queue.queue(), queue.direction());
  });
  for (const v1::PortStats& kernel : difference.ports()) {
    if (kernel.port() == port) *report.mutable_kernel() = kernel;
  }
  return report;
}

}  // namespace wakegate
