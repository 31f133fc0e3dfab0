// What workers did between two snapshots of the counters, and for which queues. Pure.
#ifndef GATEWAY_CTL_WORKER_REPORT_H_
#define GATEWAY_CTL_WORKER_REPORT_H_

#include "wakegate/ctl/v1/report.pb.h"
#include "wakegate/v1/gateway.pb.h"
#include "wakegate/v1/stats.pb.h"

namespace wakegate {

// Of each worker that `dataplane` or the later snapshot names; what only one of them knows of it is
// all there is. `before` is the earlier snapshot.
ctl::v1::WorkersReport MakeWorkersReport(const v1::StatsSnapshot& before,
                                         const v1::StatsSnapshot& after,
                                         const v1::DataplaneStatus& dataplane,
                                         const v1::ListPortsResponse& ports);

// Of one worker alone, and with what it is made of. No worker in it: there is none of that number.
ctl::v1::WorkersReport MakeWorkerExplanation(const v1::StatsSnapshot& before,
                                             const v1::StatsSnapshot& after,
                                             const v1::DataplaneStatus& dataplane,
                                             const v1::ListPortsResponse& ports, uint32_t worker);

// From `from` to `to`.
double SecondsOf(const ctl::v1::WorkersReport& report);

}  // namespace wakegate

#endif  // GATEWAY_CTL_WORKER_REPORT_H_
