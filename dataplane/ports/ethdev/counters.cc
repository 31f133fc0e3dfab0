#include "dataplane/ports/ethdev/counters.h"

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

}  // namespace wakegate
