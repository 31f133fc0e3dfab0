// Whether a configuration makes sense, as far as that can be told without a device. Pure.
#ifndef GATEWAY_CONFIG_VALIDATE_H_
#define GATEWAY_CONFIG_VALIDATE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// One slot of the ledger for each port and two for each queue pair: these fit, and leave some for
// workers.
inline constexpr int kMaxPorts = 256;
inline constexpr int kMaxQueuePairs = 768;  // Of all ports together.
inline constexpr int kMaxCrossConnects = kMaxPorts / 2;
inline constexpr int kMaxKnobSettings = 4096;

// Names, ranges, duplicates, references, limits. INVALID_ARGUMENT (RESOURCE_EXHAUSTED for the
// limits above) with the field's path, its value and what it may be: "ports[2].name: \"tap 0\" has
// a ' '; use letters, digits, '_', '-' and '.'".
absl::Status Validate(const v1::GatewayConfig& config);

// Whether a data plane with `workers` workers has each worker that a knob names, in its place or,
// of the knob `worker`, as its value. `config` is valid. INVALID_ARGUMENT as above:
// "knobs[0].worker: 3, but the data plane has workers 0 to 1".
absl::Status ValidateWorkers(const v1::GatewayConfig& config, uint32_t workers);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_VALIDATE_H_
