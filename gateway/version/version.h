// The version of Wakegate, in this one place: all programs are released together.
#ifndef GATEWAY_VERSION_VERSION_H_
#define GATEWAY_VERSION_VERSION_H_

namespace wakegate {

// Semantic versioning 2.0.0.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace wakegate

#endif  // GATEWAY_VERSION_VERSION_H_
