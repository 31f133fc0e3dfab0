// Turns ports and cross-connects into what each worker runs.
#ifndef DATAPLANE_CONTROL_PLAN_BUILDER_H_
#define DATAPLANE_CONTROL_PLAN_BUILDER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dataplane/control/port_record.h"
#include "dataplane/worker/plan.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// By name.
using PortRecords = std::map<std::string, std::unique_ptr<PortRecord>>;

// A plan for each worker, by the service that the ports have. Receive queue number q
// sends to transmit queue number q modulo their number, so that a flow stays in order. What is for
// a port without full service is dropped: as kPortDown where it is closed or put down, as
// kPortRemoved where it is on its way out.
absl::StatusOr<std::vector<std::unique_ptr<Plan>>> BuildPlans(const PortRecords& records,
                                                              const v1::GatewayConfig& config,
                                                              const WorkerPool& workers);

// The port at the other end of the cross-connect of `port`; empty where it has none.
std::string CrossConnectedTo(const v1::GatewayConfig& config, const std::string& port);

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_PLAN_BUILDER_H_
