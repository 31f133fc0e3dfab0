#include "dataplane/ports/ethdev/counters.h"

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "dataplane/kernel/kernel_error.h"

namespace wakegate {

void EthdevCounters::Begin() {
  Read();
  total_ = {};
}

KernelCounters EthdevCounters::Read() {
  rte_eth_stats now = {};
  if (rte_eth_stats_get(device_, &now) != 0) return total_;
  const auto count = [&](uint64_t rte_eth_stats::*field, uint64_t& total) {
    total += now.*field >= last_.*field ? now.*field - last_.*field : now.*field;
  };
  count(&rte_eth_stats::ipackets, total_.rx_packets);
  count(&rte_eth_stats::opackets, total_.tx_packets);
  count(&rte_eth_stats::imissed, total_.rx_dropped);
  count(&rte_eth_stats::rx_nombuf, total_.rx_dropped);
  count(&rte_eth_stats::ierrors, total_.rx_errors);
  count(&rte_eth_stats::oerrors, total_.tx_errors);
  last_ = now;
  return total_;
}

absl::StatusOr<std::map<std::string, uint64_t>> EthdevCounters::ReadAll() const {
  const int count = rte_eth_xstats_get_names(device_, nullptr, 0);
  if (count < 0) return KernelError(-count, "ask for the names of the driver's counters");
  std::vector<rte_eth_xstat_name> names(static_cast<std::size_t>(count));
  std::vector<rte_eth_xstat> values(static_cast<std::size_t>(count));
  const auto size = static_cast<unsigned>(count);
  const int named = rte_eth_xstats_get_names(device_, names.data(), size);
  const int read = rte_eth_xstats_get(device_, values.data(), size);
  // More than there is room for: they have changed in between, as by a change of the queues.
  if (named != count || read != count) {
    return absl::UnavailableError("the driver's counters change; ask again");
  }
  std::map<std::string, uint64_t> all;
  for (const rte_eth_xstat& value : values) all[names[value.id].name] = value.value;
  return all;
}

}  // namespace wakegate
