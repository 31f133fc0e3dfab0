#include "gateway/process/grpc_runtime.h"

#include "grpc/grpc.h"
#include "grpc/support/log.h"
#include "spdlog/spdlog.h"

namespace wakegate {

void SetUpGrpc() {
  gpr_set_log_function([](gpr_log_func_args* line) {
    const bool error = line->severity == GPR_LOG_SEVERITY_ERROR;
    spdlog::log(error ? spdlog::level::warn : spdlog::level::debug, "gRPC: {}", line->message);
  });
  grpc_init();
}

}  // namespace wakegate
