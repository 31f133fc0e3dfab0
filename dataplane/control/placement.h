// Which worker a queue should be on.
#ifndef DATAPLANE_CONTROL_PLACEMENT_H_
#define DATAPLANE_CONTROL_PLACEMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wakegate {

// A queue pair as control sees it.
struct QueueLoad {
  std::string port;
  uint32_t queue = 0;
  uint32_t worker = 0;
  bool movable = false;  // Not placed by the configuration.
  double load = 0;       // Part of a CPU's time that it takes, 0 to 1.
};

struct QueueMove {
  std::string port;
  uint32_t queue = 0;
  uint32_t to_worker = 0;

  bool operator==(const QueueMove&) const = default;
};

// The one move that does most to even the load out; nullopt where no worker is short of time, or
// where none is worth it: a move stops the queue for some hundred microseconds. Pure.
std::optional<QueueMove> ChooseMove(const std::vector<QueueLoad>& queues, uint32_t workers);

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_PLACEMENT_H_
