// Whether a knob can be set at a place. Pure.
#ifndef GATEWAY_CONFIG_KNOB_PLACE_H_
#define GATEWAY_CONFIG_KNOB_PLACE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// For errors: `burst_size of port "a", queue 0`, "idle_policy of worker 1", "idle_policy of all
// workers".
std::string KnobPlaceName(const v1::KnobSetting& setting);

// Whether the setting's knob, which is known, can be set where the setting says, in `config`. The
// error begins with the field: NOT_FOUND of a port, otherwise INVALID_ARGUMENT:
// `queue: 2, but port "a" has queues 0 to 1`.
absl::Status CheckKnobPlace(const v1::GatewayConfig& config, const v1::KnobSetting& setting);

// Whether a data plane with `workers` workers has the one that the setting names as its place or,
// of the knob `worker`, as its value. INVALID_ARGUMENT likewise:
// "worker: 3, but the data plane has workers 0 to 1".
absl::Status CheckKnobWorker(const v1::KnobSetting& setting, uint32_t workers);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_KNOB_PLACE_H_
