// What happened between two snapshots of the counters, per second. Pure.
#ifndef GATEWAY_CTL_RATES_H_
#define GATEWAY_CTL_RATES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "wakegate/v1/stats.pb.h"

namespace wakegate {

// One key of a map of the statistics.
struct NamedRate {
  std::string name;
  double per_second = 0;
  uint64_t total = 0;  // Since the queue, worker or port came to be.
};

struct QueueRates {
  std::string port;
  v1::Direction direction = v1::DIRECTION_UNSPECIFIED;
  uint32_t queue = 0;
  double packets_per_second = 0;
  double megabits_per_second = 0;
  // Of receive queues.
  double polls_per_second = 0;
  double empty_polls_per_second = 0;
  double polls_from_memory_per_second = 0;
  // Of transmit queues.
  double kicks_sent_per_second = 0;
  double kicks_not_needed_per_second = 0;
  double kicks_merged_per_second = 0;
  uint64_t held_packets = 0;

  std::optional<double> system_calls_per_packet;  // Absent where no packet moved.
  double drops_per_second = 0;
  // Those that are not zero since the start, sorted by name.
  std::vector<NamedRate> drops;
  std::vector<NamedRate> system_calls;
  std::vector<NamedRate> wakes;
  std::vector<NamedRate> flushes;
  std::vector<NamedRate> errors;
  std::vector<NamedRate> others;  // Counters that have no member of their own here.
};

struct WorkerRates {
  uint32_t worker = 0;
  // Parts of the worker's time, together 1; all 0 where it did not turn.
  double busy = 0;
  double idle = 0;
  double asleep = 0;
  double iterations_per_second = 0;
  double sleeps_per_second = 0;
  double system_calls_per_second = 0;
  double longest_iteration_microseconds = 0;  // Since its start.
  std::vector<NamedRate> wakes;
};

// What the kernel dropped and could not do, beside the gateway's own drops.
struct DeviceRates {
  std::string port;
  std::vector<NamedRate> troubles;
};

struct StatsRates {
  double seconds = 0;
  bool restarted = false;  // The data plane started in between.
  absl::Time time;         // Of the later snapshot.
  v1::Books books;         // Likewise.
  std::vector<QueueRates> queues;
  std::vector<WorkerRates> workers;
  std::vector<DeviceRates> devices;  // Only those that have any trouble.
};

// `before` is the earlier one. What is new since then, or counts less than it did, has counted from
// 0. All rates are 0 where no time passed.
StatsRates ComputeRates(const v1::StatsSnapshot& before, const v1::StatsSnapshot& after);

}  // namespace wakegate

#endif  // GATEWAY_CTL_RATES_H_
