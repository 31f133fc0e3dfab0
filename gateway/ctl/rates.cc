#include "gateway/ctl/rates.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

namespace wakegate {
namespace {

using CounterMap = google::protobuf::Map<std::string, uint64_t>;

// The counters that have a member in QueueRates.
constexpr std::array<std::string_view, 9> kShownCounters = {"packets",
                                                            "bytes",
                                                            "polls",
                                                            "empty_polls",
                                                            "polls_from_memory",
                                                            "kicks_sent",
                                                            "kicks_not_needed",
                                                            "kicks_merged",
                                                            "held_packets"};
// The kernel's counters that tell of trouble; its counts of packets are left out.
constexpr std::array<std::string_view, 8> kTroubles = {
    "kernel_rx_dropped", "kernel_tx_dropped", "kernel_rx_errors", "kernel_tx_errors",
    "socket_dropped",    "xdp_rx_invalid",    "xdp_tx_invalid",   "reopened"};

template <std::size_t kCount>
bool Contains(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

uint64_t ValueOf(const CounterMap& map, const char* name) {
  const auto found = map.find(name);
  return found == map.end() ? 0 : found->second;
}

// A counter that went down began anew.
uint64_t Increase(uint64_t before, uint64_t after) {
  return after >= before ? after - before : after;
}

absl::Time TimeOf(const v1::StatsSnapshot& snapshot) {
  return absl::FromUnixSeconds(snapshot.time().seconds()) +
         absl::Nanoseconds(snapshot.time().nanos());
}

// Turns pairs of counters into rates.
class Rater {
 public:
  explicit Rater(double seconds) : seconds_(seconds) {}

  double PerSecond(uint64_t before, uint64_t after) const {
    return seconds_ > 0 ? static_cast<double>(Increase(before, after)) / seconds_ : 0;
  }
  double PerSecond(const CounterMap& before, const CounterMap& after, const char* name) const {
    return PerSecond(ValueOf(before, name), ValueOf(after, name));
  }
  // Of all counters that are not zero.
  std::vector<NamedRate> Named(const CounterMap& before, const CounterMap& after) const {
    std::vector<NamedRate> rates;
    for (const auto& [name, total] : after) {
      if (total == 0) continue;
      rates.push_back({name, PerSecond(ValueOf(before, name.c_str()), total), total});
    }
    std::sort(rates.begin(), rates.end(),
              [](const NamedRate& a, const NamedRate& b) { return a.name < b.name; });
    return rates;
  }

 private:
  double seconds_;
};

double Sum(const std::vector<NamedRate>& rates) {
  double sum = 0;
  for (const NamedRate& rate : rates) sum += rate.per_second;
  return sum;
}

QueueRates RateQueue(const v1::QueueStats& before, const v1::QueueStats& after,
                     const Rater& rater) {
  const auto per_second = [&](const char* name) {
    return rater.PerSecond(before.counters(), after.counters(), name);
  };
  constexpr double kBitsPerByte = 8;
  QueueRates rates;
  rates.port = after.port();
  rates.direction = after.direction();
  rates.queue = after.queue();
  rates.packets_per_second = per_second("packets");
  rates.megabits_per_second = per_second("bytes") * kBitsPerByte / 1e6;
  rates.polls_per_second = per_second("polls");
  rates.empty_polls_per_second = per_second("empty_polls");
  rates.polls_from_memory_per_second = per_second("polls_from_memory");
  rates.kicks_sent_per_second = per_second("kicks_sent");
  rates.kicks_not_needed_per_second = per_second("kicks_not_needed");
  rates.kicks_merged_per_second = per_second("kicks_merged");
  rates.held_packets = ValueOf(after.counters(), "held_packets");
  rates.drops = rater.Named(before.drops_by_reason(), after.drops_by_reason());
  rates.drops_per_second = Sum(rates.drops);
  rates.system_calls = rater.Named(before.system_calls_by_kind(), after.system_calls_by_kind());
  if (rates.packets_per_second > 0) {
    rates.system_calls_per_packet = Sum(rates.system_calls) / rates.packets_per_second;
  }
  rates.wakes = rater.Named(before.wakes_by_cause(), after.wakes_by_cause());
  rates.flushes = rater.Named(before.flushes_by_cause(), after.flushes_by_cause());
  rates.errors = rater.Named(before.errors_by_kind(), after.errors_by_kind());
  rates.others = rater.Named(before.counters(), after.counters());
  std::erase_if(rates.others,
                [](const NamedRate& rate) { return Contains(kShownCounters, rate.name); });
  return rates;
}

WorkerRates RateWorker(const v1::WorkerStats& before, const v1::WorkerStats& after,
                       const Rater& rater, uint64_t tsc_hz) {
  const auto per_second = [&](const char* name) {
    return rater.PerSecond(before.counters(), after.counters(), name);
  };
  WorkerRates rates;
  rates.worker = after.worker();
  const double busy = per_second("busy_cycles");
  const double idle = per_second("idle_cycles");
  // A sleep counts when it ends: what is missing is one that has not.
  const double asleep =
      std::max(per_second("asleep_cycles"), static_cast<double>(tsc_hz) - busy - idle);
  if (const double all = busy + idle + asleep; all > 0) {
    rates.busy = busy / all;
    rates.idle = idle / all;
    rates.asleep = asleep / all;
  }
  rates.iterations_per_second = per_second("iterations");
  rates.sleeps_per_second = per_second("sleeps");
  rates.system_calls_per_second =
      Sum(rater.Named(before.system_calls_by_kind(), after.system_calls_by_kind()));
  if (tsc_hz > 0) {
    rates.longest_iteration_microseconds =
        static_cast<double>(ValueOf(after.counters(), "longest_iteration_cycles")) * 1e6 /
        static_cast<double>(tsc_hz);
  }
  rates.wakes = rater.Named(before.wakes_by_cause(), after.wakes_by_cause());
  return rates;
}

DeviceRates RateDevice(const v1::PortStats& before, const v1::PortStats& after,
                       const Rater& rater) {
  DeviceRates rates;
  rates.port = after.port();
  rates.troubles = rater.Named(before.counters(), after.counters());
  std::erase_if(rates.troubles,
                [](const NamedRate& rate) { return !Contains(kTroubles, rate.name); });
  return rates;
}

}  // namespace

StatsRates ComputeRates(const v1::StatsSnapshot& before, const v1::StatsSnapshot& after) {
  StatsRates rates;
  rates.time = TimeOf(after);
  rates.seconds = absl::ToDoubleSeconds(rates.time - TimeOf(before));
  rates.restarted = before.boot_id() != after.boot_id();
  rates.books = after.books();
  const Rater rater(rates.seconds);

  // What the later snapshot's parts are compared with: nothing, where the data plane is another.
  std::map<std::tuple<std::string, v1::Direction, uint32_t>, const v1::QueueStats*> queues;
  std::map<uint32_t, const v1::WorkerStats*> workers;
  std::map<std::string, const v1::PortStats*> ports;
  if (!rates.restarted) {
    for (const auto& queue : before.queues()) {
      queues[{queue.port(), queue.direction(), queue.queue()}] = &queue;
    }
    for (const auto& worker : before.workers()) workers[worker.worker()] = &worker;
    for (const auto& port : before.ports()) ports[port.port()] = &port;
  }
  const auto earlier = [](const auto& known, const auto& key, const auto& none) -> const auto& {
    const auto found = known.find(key);
    return found == known.end() ? none : *found->second;
  };
  for (const v1::QueueStats& queue : after.queues()) {
    const auto key = std::make_tuple(queue.port(), queue.direction(), queue.queue());
    rates.queues.push_back(
        RateQueue(earlier(queues, key, v1::QueueStats::default_instance()), queue, rater));
  }
  for (const v1::WorkerStats& worker : after.workers()) {
    rates.workers.push_back(
        RateWorker(earlier(workers, worker.worker(), v1::WorkerStats::default_instance()), worker,
                   rater, after.tsc_hz()));
  }
  for (const v1::PortStats& port : after.ports()) {
    DeviceRates device =
        RateDevice(earlier(ports, port.port(), v1::PortStats::default_instance()), port, rater);
    if (!device.troubles.empty()) rates.devices.push_back(std::move(device));
  }
  return rates;
}

}  // namespace wakegate
