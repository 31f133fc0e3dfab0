// Which worker a queue should be on.
#ifndef DATAPLANE_CONTROL_PLACEMENT_H_
#define DATAPLANE_CONTROL_PLACEMENT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wakegate {

// Where a new queue pair should go.
struct PlaceWish {
  std::optional<uint32_t> worker = {};  // The configuration says so.
  std::optional<uint32_t> beside = {};  // Else rather to this one: it has the queue that its
                                        // packets go to.
};

// The worker for it. `queue_pairs`: how many each has. That of the wish, where there is that one;
// or the one beside, where that has at most one more than the others: a packet that changes its
// worker costs a hand-over, which may have no room for it, and wakes a worker that sleeps. Else the
// one with the fewest. Pure.
uint32_t ChooseWorker(const PlaceWish& wish, std::span<const uint32_t> queue_pairs);

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
