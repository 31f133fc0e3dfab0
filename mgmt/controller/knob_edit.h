// Setting one knob within a configuration. Pure.
#ifndef MGMT_CONTROLLER_KNOB_EDIT_H_
#define MGMT_CONTROLLER_KNOB_EDIT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "wakegate/v1/config.pb.h"
#include "wakegate/v1/tuning.pb.h"

namespace wakegate {

// `config` is valid, and is so afterwards. The data plane has `workers` workers; 0: not known.
// Settings that say nothing new are not kept. On error nothing is changed: NOT_FOUND for the knob
// or the port, INVALID_ARGUMENT for the value, the queue or the worker.
absl::Status SetKnobIn(v1::GatewayConfig& config, const v1::SetKnobRequest& request,
                       uint32_t workers);

}  // namespace wakegate

#endif  // MGMT_CONTROLLER_KNOB_EDIT_H_
