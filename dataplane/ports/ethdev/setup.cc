#include "dataplane/ports/ethdev/setup.h"

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

rte_eth_conf Configuration(const rte_eth_dev_info& info, uint32_t queues, bool interrupts) {
  rte_eth_conf conf = {};
  // Frames larger than a buffer then come as chains; what the MTU forbids does not come.
  conf.rxmode.offloads = info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
  conf.txmode.offloads = UsefulTxOffloads(info);
  if (queues > 1 && info.flow_type_rss_offloads != 0) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    conf.rx_adv_conf.rss_conf.rss_hf =
        info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP);
  }
  conf.intr_conf.rxq = interrupts ? 1 : 0;
  conf.intr_conf.lsc = (*info.dev_flags & RTE_ETH_DEV_INTR_LSC) != 0 ? 1 : 0;
  conf.intr_conf.rmv = (*info.dev_flags & RTE_ETH_DEV_INTR_RMV) != 0 ? 1 : 0;
  return conf;
}

absl::Status SetUpQueues(const EthernetDevice& device, const rte_eth_dev_info& info,
                         uint32_t queues, uint16_t rx_descriptors, uint16_t tx_descriptors,
                         rte_mempool* pool) {
  const auto socket = static_cast<unsigned>(rte_eth_dev_socket_id(device.id()));
  rte_eth_txconf tx_conf = info.default_txconf;
  tx_conf.offloads = UsefulTxOffloads(info);
  rte_eth_rxconf rx_conf = info.default_rxconf;
  rx_conf.offloads = info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
  for (uint32_t number = 0; number < queues; ++number) {
    const auto queue = static_cast<uint16_t>(number);
    int error = rte_eth_rx_queue_setup(device.id(), queue, rx_descriptors, socket, &rx_conf, pool);
    if (error == 0) {
      error = rte_eth_tx_queue_setup(device.id(), queue, tx_descriptors, socket, &tx_conf);
    }
    if (error != 0) return device.Error(error, absl::StrCat("set up queue ", queue, " of"));
  }
  return absl::OkStatus();
}

}  // namespace

// Not RTE_ETH_TX_OFFLOAD_UDP_TSO, which may mean fragments (rte_mbuf_core.h on
// RTE_MBUF_F_TX_UDP_SEG). Nor RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE: packets of one burst may be of
// several pools, and in use elsewhere.
uint64_t UsefulTxOffloads(const rte_eth_dev_info& info) {
  constexpr uint64_t kChecksums = RTE_ETH_TX_OFFLOAD_TCP_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM;
  constexpr uint64_t kSegmentation = kChecksums | RTE_ETH_TX_OFFLOAD_TCP_TSO;
  const uint64_t capable = info.tx_offload_capa;
  uint64_t useful = capable & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  if ((capable & kChecksums) == kChecksums) useful |= kChecksums;
  if ((capable & kSegmentation) == kSegmentation) {
    useful |= kSegmentation | (capable & RTE_ETH_TX_OFFLOAD_IPV4_CKSUM);
  }
  return useful;
}

TransmitCapabilities CapabilitiesOf(uint64_t tx_offloads, uint32_t mtu) {
  const bool segmentation = (tx_offloads & RTE_ETH_TX_OFFLOAD_TCP_TSO) != 0;
  return {.mtu = mtu,
          .checksum = (tx_offloads & RTE_ETH_TX_OFFLOAD_TCP_CKSUM) != 0,
          .tcp4_segmentation = segmentation,
          .tcp6_segmentation = segmentation,
          .udp_segmentation = false,
          .chains = (tx_offloads & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0};
}

absl::Status SetUp(const EthernetDevice& device, const v1::EthdevPort& config, rte_mempool* pool,
                   bool interrupts) {
  const absl::StatusOr<rte_eth_dev_info> info = device.Info();
  if (!info.ok()) return info.status();
  const uint32_t queues = config.queues();
  if (queues > info->max_rx_queues || queues > info->max_tx_queues) {
    return absl::InvalidArgumentError(
        absl::StrCat("open ", device.name(), " with ", queues, " queues: it has ",
                     info->max_rx_queues, " to receive and ", info->max_tx_queues, " to transmit"));
  }
  const rte_eth_conf conf = Configuration(*info, queues, interrupts);
  const auto count = static_cast<uint16_t>(queues);
  if (const int error = rte_eth_dev_configure(device.id(), count, count, &conf); error != 0) {
    return device.Error(error, "configure");
  }
  auto rx_descriptors = static_cast<uint16_t>(config.rx_descriptors());
  auto tx_descriptors = static_cast<uint16_t>(config.tx_descriptors());
  if (const int error =
          rte_eth_dev_adjust_nb_rx_tx_desc(device.id(), &rx_descriptors, &tx_descriptors);
      error != 0) {
    return device.Error(error, "adjust the descriptors of");
  }
  if (rx_descriptors != config.rx_descriptors() || tx_descriptors != config.tx_descriptors()) {
    spdlog::info("{} has {} receive and {} transmit descriptors (asked for {} and {})",
                 device.name(), rx_descriptors, tx_descriptors, config.rx_descriptors(),
                 config.tx_descriptors());
  }
  return SetUpQueues(device, *info, queues, rx_descriptors, tx_descriptors, pool);
}

}  // namespace wakegate
