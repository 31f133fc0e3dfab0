// The knobs and what they are at in a configuration. Pure.
#ifndef MGMT_SERVICES_KNOB_LIST_H_
#define MGMT_SERVICES_KNOB_LIST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "wakegate/v1/config.pb.h"
#include "wakegate/v1/tuning.pb.h"

namespace wakegate {

// NOT_FOUND where the request names a knob, a port or a worker that there is not. `config` is
// valid; the data plane has `workers` workers.
absl::StatusOr<v1::ListKnobsResponse> ListKnobs(const v1::GatewayConfig& config, uint32_t workers,
                                                const v1::ListKnobsRequest& request);

}  // namespace wakegate

#endif  // MGMT_SERVICES_KNOB_LIST_H_
