// The values of a knob as text. Pure.
#ifndef GATEWAY_KNOBS_VALUE_H_
#define GATEWAY_KNOBS_VALUE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "wakegate/v1/tuning.pb.h"

namespace wakegate {

// By the knob's type and bounds. INVALID_ARGUMENT says what it may be:
// `"0" is not a whole number from 1 to 64 packets`.
absl::Status CheckKnobValue(const v1::Knob& knob, std::string_view value);

// The one text of all that mean the same: "0.05ms" as "50us". `value` is good.
std::string CanonicalKnobValue(const v1::Knob& knob, std::string_view value);

}  // namespace wakegate

#endif  // GATEWAY_KNOBS_VALUE_H_
