// The configuration that a command line names, on its way to the gateway.
#ifndef GATEWAY_CTL_CONFIG_SENDER_H_
#define GATEWAY_CTL_CONFIG_SENDER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/ctl/session.h"
#include "wakegate/v1/gateway.pb.h"

namespace wakegate {

struct ApplyOptions {
  std::string file;  // "-": standard input.
  bool dry_run = false;
  std::optional<uint64_t> expected_generation;
};

// Reads the file and calls Apply. Where that fails it has said why, and `response` is empty.
ExitCode SendConfig(const ApplyOptions& options, Session& session, v1::ApplyResponse& response);

}  // namespace wakegate

#endif  // GATEWAY_CTL_CONFIG_SENDER_H_
