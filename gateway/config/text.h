// The configuration as people write it. Pure.
#ifndef GATEWAY_CONFIG_TEXT_H_
#define GATEWAY_CONFIG_TEXT_H_

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
absl::StatusOr<v1::GatewayConfig> ParseConfig(std::string_view text, std::string_view source);

// Any message as YAML or JSON, with the field names of its .proto file. What is at its default
// value and was not set is left out.
std::string ToYaml(const google::protobuf::Message& message);
std::string ToJson(const google::protobuf::Message& message);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_TEXT_H_
