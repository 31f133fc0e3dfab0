// Watches how busy the queues keep their workers.
#ifndef DATAPLANE_CONTROL_BALANCER_H_
#define DATAPLANE_CONTROL_BALANCER_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "dataplane/control/placement.h"
#include "dataplane/control/plan_builder.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// Control thread.
class Balancer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // How long it measures before it says anything.
  static constexpr auto kPeriod = std::chrono::seconds(10);

  // To be called each second. Says which queue should move now. `config` is what runs.
  std::optional<QueueMove> Next(const PortRecords& records, const v1::GatewayConfig& config,
                                uint32_t workers, Time now);

 private:
  std::optional<Time> since_;
  // The counters of busy cycles at that time, by port and queue.
  std::map<std::pair<std::string, uint32_t>, uint64_t> cycles_;
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_BALANCER_H_
