// Where the lines that a process writes for people go.
#ifndef GATEWAY_PROCESS_LOG_H_
#define GATEWAY_PROCESS_LOG_H_

#include <string>
#include <vector>

namespace wakegate {

// What SetUpLog takes as a level.
inline const std::vector<std::string> kLogLevels = {"trace", "debug", "info", "warn", "error"};

// Makes spdlog write lines of `level` and above to stderr, with the time, the level and `program`.
// Call it once, before the first thread.
void SetUpLog(const std::string& program, const std::string& level);

}  // namespace wakegate

#endif  // GATEWAY_PROCESS_LOG_H_
