// What a call changed, for people. Pure.
#ifndef GATEWAY_CTL_CHANGES_H_
#define GATEWAY_CTL_CHANGES_H_

#include <string>

#include "google/protobuf/repeated_ptr_field.h"
#include "wakegate/v1/gateway.pb.h"

namespace wakegate {

// A line for each: "+ port a: tap, …", "- cross-connect a - b", "~ port a: mtu 1500 -> 9000".
std::string FormatChanges(const google::protobuf::RepeatedPtrField<v1::Change>& changes);

}  // namespace wakegate

#endif  // GATEWAY_CTL_CHANGES_H_
