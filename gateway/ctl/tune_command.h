// wakegatectl tune: read and set knobs while traffic runs.
#ifndef GATEWAY_CTL_TUNE_COMMAND_H_
#define GATEWAY_CTL_TUNE_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/ctl/session.h"

namespace wakegate {

struct TuneGetOptions {
  std::string knob;                // Empty: all.
  std::string port;                // Empty: all.
  std::optional<uint32_t> worker;  // Absent: all.
};

struct TuneSetOptions {
  std::string knob;
  std::string value;
  std::string port;                // Empty: a knob of workers.
  std::optional<uint32_t> queue;   // Absent: all of the port.
  std::optional<uint32_t> worker;  // Absent: all workers, or a knob of ports.
  std::optional<uint64_t> expected_generation;
};

ExitCode RunTuneGet(const TuneGetOptions& options, Session& session);
ExitCode RunTuneSet(const TuneSetOptions& options, Session& session);

}  // namespace wakegate

#endif  // GATEWAY_CTL_TUNE_COMMAND_H_
