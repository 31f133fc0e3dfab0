// Statuses to and from gRPC. The codes are the same by number.
#ifndef GATEWAY_CLIENT_STATUS_H_
#define GATEWAY_CLIENT_STATUS_H_

#include <string>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace wakegate {

inline absl::Status ToAbslStatus(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

inline grpc::Status ToGrpcStatus(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

}  // namespace wakegate

#endif  // GATEWAY_CLIENT_STATUS_H_
