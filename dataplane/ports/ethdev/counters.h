// What a device's driver counts.
#ifndef DATAPLANE_PORTS_ETHDEV_COUNTERS_H_
#define DATAPLANE_PORTS_ETHDEV_COUNTERS_H_

#include <rte_ethdev.h>

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "dataplane/ports/port.h"

namespace wakegate {

// Counts on where a driver begins anew, as some do when the device is stopped. Control thread.
class EthdevCounters {
 public:
  // `device`: DPDK's port id.
  explicit EthdevCounters(uint16_t device) : device_(device) {}

  // From here on. The queues are set up: some drivers count in them.
  void Begin();
  // Since then; as last read where the device is gone.
  KernelCounters Read();
  // All of the driver's own, by its names (rte_eth_xstats), from whenever it began.
  absl::StatusOr<std::map<std::string, uint64_t>> ReadAll() const;

 private:
  const uint16_t device_;
  rte_eth_stats last_ = {};
  KernelCounters total_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_COUNTERS_H_
