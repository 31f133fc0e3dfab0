#include "dataplane/control/placement.h"

#include <algorithm>

namespace wakegate {
namespace {

// A worker that is less busy than this has time enough.
constexpr double kShortOfTime = 0.7;
// The busiest worker must get rid of at least so much.
constexpr double kWorthwhile = 0.1;

}  // namespace

uint32_t ChooseWorker(const PlaceWish& wish, std::span<const uint32_t> queue_pairs) {
  if (wish.worker && *wish.worker < queue_pairs.size()) return *wish.worker;
  const auto fewest = std::ranges::min_element(queue_pairs);
  if (wish.beside && *wish.beside < queue_pairs.size() &&
      queue_pairs[*wish.beside] <= *fewest + 1) {
    return *wish.beside;
  }
  return static_cast<uint32_t>(fewest - queue_pairs.begin());
}

std::optional<QueueMove> ChooseMove(const std::vector<QueueLoad>& queues, uint32_t workers) {
  if (workers < 2) return std::nullopt;
  std::vector<double> loads(workers, 0);
  for (const QueueLoad& queue : queues) loads[queue.worker] += queue.load;
  const auto busiest = std::ranges::max_element(loads);
  const auto idlest = std::ranges::min_element(loads);
  if (*busiest < kShortOfTime) return std::nullopt;
  const QueueLoad* best = nullptr;
  double best_peak = *busiest - kWorthwhile;
  for (const QueueLoad& queue : queues) {
    if (!queue.movable || queue.worker != static_cast<uint32_t>(busiest - loads.begin())) continue;
    const double peak = std::max(*busiest - queue.load, *idlest + queue.load);
    if (peak > best_peak) continue;
    best = &queue;
    best_peak = peak;
  }
  if (best == nullptr) return std::nullopt;
  return QueueMove{.port = best->port,
                   .queue = best->queue,
                   .to_worker = static_cast<uint32_t>(idlest - loads.begin())};
}

}  // namespace wakegate
