// One value of a protobuf field as text, both ways, whatever the field's type. Pure.
#ifndef GATEWAY_CONFIG_SCALAR_H_
#define GATEWAY_CONFIG_SCALAR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace wakegate {

// Whether a value of `field` is written as one text: all but messages, and of these
// google.protobuf.Duration ("1.5s") and Timestamp (RFC 3339).
bool IsScalar(const google::protobuf::FieldDescriptor& field);

// Whether its text stands in quotes in JSON: strings, enums, times.
bool IsText(const google::protobuf::FieldDescriptor& field);

// Sets `field` of `message`, or appends to it where it is repeated. INVALID_ARGUMENT says what was
// expected: `"yes" is not true or false`.
absl::Status SetScalar(std::string_view text, const google::protobuf::FieldDescriptor& field,
                       google::protobuf::Message& message);

// The value of `field`, at `index` where it is repeated.
std::string ScalarText(const google::protobuf::Message& message,
                       const google::protobuf::FieldDescriptor& field, int index = 0);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_SCALAR_H_
