// The configuration as people write it. Pure.
#ifndef GATEWAY_CONFIG_TEXT_H_
#define GATEWAY_CONFIG_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// Parses YAML (of which JSON is a part) with the field names of config.proto. `source` names the
// text in errors. INVALID_ARGUMENT names the line and what was expected:
// "gateway.yaml:7: unknown field \"prot\" in Port; known: name, admin_up, mtu, …".
// A text with nothing in it is refused, as it is more often an accident than the wish to remove
// everything: `ports: []` and `{}` are the empty configuration. `tap:` and `tap: {}` both mean that
// the message is there.
// RESOURCE_EXHAUSTED for a text of more than kMaxTextBytes, or one whose aliases stand for more.
inline constexpr std::size_t kMaxTextBytes = std::size_t{4} << 20;  // More than any real one has.
absl::StatusOr<v1::GatewayConfig> ParseConfig(std::string_view text, std::string_view source);

// Likewise, of any message; the inverse of ToYaml and ToJson. A text with nothing in it is the
// empty message. On error `message` is part-filled.
absl::Status ParseMessage(std::string_view text, std::string_view source,
                          google::protobuf::Message& message);

// Any message as YAML or JSON, with the field names of its .proto file in its order, and maps
// sorted. What is at its default value and was not set is left out. 64-bit numbers are numbers in
// JSON too, not strings. Ends with a newline.
std::string ToYaml(const google::protobuf::Message& message);
std::string ToJson(const google::protobuf::Message& message);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_TEXT_H_
