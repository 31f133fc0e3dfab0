// The knobs and what they are at in a configuration. Pure.
#ifndef MGMT_SERVICES_KNOB_LIST_H_
#define MGMT_SERVICES_KNOB_LIST_H_

#include "absl/status/statusor.h"
#include "wakegate/v1/config.pb.h"
#include "wakegate/v1/tuning.pb.h"

namespace wakegate {

// NOT_FOUND where the request names a knob or a port that there is not. `config` is valid.
absl::StatusOr<v1::ListKnobsResponse> ListKnobs(const v1::GatewayConfig& config,
                                                const v1::ListKnobsRequest& request);

}  // namespace wakegate

#endif  // MGMT_SERVICES_KNOB_LIST_H_
