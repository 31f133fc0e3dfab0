// What the gateway did in a while: what reports are made of.
#ifndef GATEWAY_CTL_OBSERVATION_H_
#define GATEWAY_CTL_OBSERVATION_H_

#include "absl/time/time.h"
#include "gateway/ctl/session.h"
#include "wakegate/v1/gateway.pb.h"
#include "wakegate/v1/stats.pb.h"

namespace wakegate {

struct Observation {
  v1::StatsSnapshot before;
  v1::StatsSnapshot after;
  // As of the end.
  v1::DataplaneStatus dataplane;
  v1::ListPortsResponse ports;
};

// Takes `interval`. An error: of the first call that failed.
grpc::Status Observe(absl::Duration interval, Session& session, Observation& observation);

}  // namespace wakegate

#endif  // GATEWAY_CTL_OBSERVATION_H_
