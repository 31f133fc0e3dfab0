// The list of all knobs: what they are called, what they may be, what they do. Pure.
//
// A new knob is a line in knobs.cc and its reader in the data plane; the API, wakegatectl and the
// validation have it by themselves.
#ifndef GATEWAY_KNOBS_KNOBS_H_
#define GATEWAY_KNOBS_KNOBS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "wakegate/v1/config.pb.h"
#include "wakegate/v1/tuning.pb.h"

namespace wakegate {

inline constexpr char kBurstSizeKnob[] = "burst_size";

// Sorted by name, without values.
std::span<const v1::Knob> AllKnobs();
// Null where there is none of that name.
const v1::Knob* FindKnob(std::string_view name);

// Whether `value` is one that the knob may have, and the knob is known: INVALID_ARGUMENT with the
// range, NOT_FOUND with the known names.
absl::Status ValidateKnobValue(std::string_view knob, std::string_view value);

// The value that holds for a queue: its own setting, else the port's, else the default.
// `config` is valid, the knob known.
std::string KnobText(const v1::GatewayConfig& config, std::string_view knob, std::string_view port,
                     uint32_t queue);
// Likewise, of a knob of TYPE_INTEGER.
int64_t KnobInteger(const v1::GatewayConfig& config, std::string_view knob, std::string_view port,
                    uint32_t queue);

}  // namespace wakegate

#endif  // GATEWAY_KNOBS_KNOBS_H_
