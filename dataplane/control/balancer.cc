#include "dataplane/control/balancer.h"

#include <rte_cycles.h>

#include <vector>

#include "gateway/knobs/knobs.h"

namespace wakegate {

std::optional<QueueMove> Balancer::Next(const PortRecords& records, const v1::GatewayConfig& config,
                                        uint32_t workers, Time now) {
  if (since_ && now - *since_ < kPeriod) return std::nullopt;
  const double elapsed = since_ ? std::chrono::duration<double>(now - *since_).count() *
                                      static_cast<double>(rte_get_tsc_hz())
                                : 0;
  std::map<std::pair<std::string, uint32_t>, uint64_t> cycles;
  std::vector<QueueLoad> loads;
  for (const auto& [name, record] : records) {
    for (uint32_t queue = 0; queue < record->queues().size(); ++queue) {
      const PortRecord::QueuePair& pair = record->queues()[queue];
      const uint64_t busy = pair.rx_slot.block().counters[ledger::RxCounter::kBusyCycles].Get();
      cycles[{name, queue}] = busy;
      const auto before = cycles_.find({name, queue});
      if (before == cycles_.end()) continue;
      loads.push_back({.port = name,
                       .queue = queue,
                       .worker = pair.place.worker,
                       .movable = !WorkerOfQueue(config, name, queue).has_value(),
                       .load = static_cast<double>(busy - before->second) / elapsed});
    }
  }
  since_ = now;
  cycles_ = std::move(cycles);
  return ChooseMove(loads, workers);
}

}  // namespace wakegate
