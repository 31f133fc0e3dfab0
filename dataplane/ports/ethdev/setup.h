// How a device is set up: what is asked of it, by what it can.
#ifndef DATAPLANE_PORTS_ETHDEV_SETUP_H_
#define DATAPLANE_PORTS_ETHDEV_SETUP_H_

#include <rte_ethdev.h>
#include <rte_mempool.h>

#include <cstdint>

#include "absl/status/status.h"
#include "dataplane/packet/transmit_capabilities.h"
#include "dataplane/ports/ethdev/device.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// Of the Tx offloads that the gateway has a use for, those that the device has.
uint64_t UsefulTxOffloads(const rte_eth_dev_info& info);
// With UsefulTxOffloads. Pure.
TransmitCapabilities CapabilitiesOf(uint64_t tx_offloads, uint32_t mtu);

// Configures the device and its queues; it is stopped then. `config` has its defaults.
// `interrupts`: with Rx interrupts. Control thread.
absl::Status SetUp(const EthernetDevice& device, const v1::EthdevPort& config, rte_mempool* pool,
                   bool interrupts);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_SETUP_H_
