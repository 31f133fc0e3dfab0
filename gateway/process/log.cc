#include "gateway/process/log.h"

#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace wakegate {

void SetUpLog(const std::string& program, const std::string& level) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt(program));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %n: %v");
  spdlog::set_level(spdlog::level::from_str(level));
}

}  // namespace wakegate
