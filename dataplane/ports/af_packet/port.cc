#include "dataplane/ports/af_packet/port.h"

#include <linux/if_packet.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/netdev/network_device.h"
#include "dataplane/ports/af_packet/rx_queue.h"
#include "dataplane/ports/af_packet/socket.h"
#include "dataplane/ports/af_packet/tx_queue.h"
#include "dataplane/ports/kernel_device.h"

namespace wakegate {
namespace {

using ledger::RxCounter;

// All that a port is made of.
struct Parts {
  NetworkDevice device;
  LinkCounters counters;
  PacketSocket receive;
  PacketSocket transmit;
  FileDescriptor large;
  FileDescriptor room;
};

class AfPacketPort final : public Port {
 public:
  AfPacketPort(Parts parts, const PortEnvironment& environment)
      : device_(std::move(parts.device)),
        counters_at_open_(parts.counters),
        udp_segmentation_(SegmentsUdp(parts.large.get())),
        rx_(std::move(parts.receive), environment.pool, *environment.rx_blocks.front()),
        tx_(std::move(parts.transmit), std::move(parts.large), std::move(parts.room),
            device_.index(), *environment.tx_blocks.front()),
        rx_queues_{AnyRxQueue(rx_)},
        tx_queues_{AnyTxQueue(tx_)},
        rx_ledger_(*environment.rx_blocks.front()),
        received_(rx_ledger_.counters[RxCounter::kPackets].Get()) {}

  std::span<const AnyRxQueue> rx_queues() const override { return rx_queues_; }
  std::span<const AnyTxQueue> tx_queues() const override { return tx_queues_; }

  // The kernel does itself what the device cannot (validate_xmit_skb).
  TransmitCapabilities transmit_capabilities(uint32_t mtu) const override {
    return TransmitCapabilities::All(mtu, udp_segmentation_);
  }

  uint32_t interface_index() const override { return static_cast<uint32_t>(device_.index()); }

  absl::Status SetAdminUp(bool up) override { return device_.SetUp(up); }
  absl::Status SetMtu(uint32_t mtu) override { return device_.SetMtu(mtu); }

  // The kernel counts who wants it, and takes our wish back when the socket is closed.
  absl::Status SetPromiscuous(bool promiscuous) override {
    if (promiscuous == promiscuous_) return absl::OkStatus();
    packet_mreq request = {};
    request.mr_ifindex = device_.index();
    request.mr_type = PACKET_MR_PROMISC;
    const int option = promiscuous ? PACKET_ADD_MEMBERSHIP : PACKET_DROP_MEMBERSHIP;
    if (setsockopt(rx_.socket(), SOL_PACKET, option, &request, sizeof(request)) != 0) {
      return KernelError(errno, absl::StrCat(promiscuous ? "set" : "unset", " promiscuous mode of ",
                                             device_.name()));
    }
    promiscuous_ = promiscuous;
    return absl::OkStatus();
  }

  absl::StatusOr<DeviceState> ReadDevice() override {
    const absl::StatusOr<LinkState> link = device_.Read();
    if (!link.ok()) return link.status();
    const uint64_t socket_dropped = counters_.socket_dropped;
    counters_ = CountedBetween(counters_at_open_, link->counters);
    counters_.socket_dropped = socket_dropped;
    if (ring_is_stuck_) {
      return absl::UnavailableError(
          absl::StrCat("the kernel has stopped using the receive ring of ", device_.name(),
                       ": it got a packet that it cannot describe (SCTP to segment, say)"));
    }
    return DeviceStateOf(*link);
  }

  KernelCounters ReadKernelCounters() override {
    tpacket_stats statistics = {};
    socklen_t size = sizeof(statistics);
    // Since the last time: reading sets them to 0. tp_packets are those with and without room.
    if (getsockopt(rx_.socket(), SOL_PACKET, PACKET_STATISTICS, &statistics, &size) == 0) {
      counters_.socket_dropped += statistics.tp_drops;
      WatchRing(statistics.tp_packets - statistics.tp_drops, statistics.tp_drops);
    }
    return counters_;
  }

 private:
  // Between two looks at the statistics the kernel found no room for `dropped` packets, put none
  // into the ring, the worker took none out, and yet the ring is empty: tpacket_rcv has left its
  // next frame marked as being filled (rx_owner_map), for ever, when virtio_net_hdr_from_skb
  // failed.
  void WatchRing(uint64_t delivered, uint64_t dropped) {
    const uint64_t received = rx_ledger_.counters[RxCounter::kPackets].Get();
    const bool still = received == std::exchange(received_, received) && delivered == 0;
    if (dropped > 0 && still && rx_.RingIsEmpty()) ring_is_stuck_ = true;
  }

  NetworkDevice device_;
  LinkCounters counters_at_open_;
  KernelCounters counters_;  // As last read.
  bool udp_segmentation_;
  bool promiscuous_ = false;
  AfPacketRxQueue rx_;
  AfPacketTxQueue tx_;
  std::array<AnyRxQueue, 1> rx_queues_;
  std::array<AnyTxQueue, 1> tx_queues_;
  const ledger::RxQueueBlock& rx_ledger_;
  uint64_t received_;  // By the worker, at the last look.
  bool ring_is_stuck_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Port>> OpenAfPacketPort(const v1::AfPacketPort& config,
                                                       const PortEnvironment& environment) {
  absl::StatusOr<FoundDevice> found = FindEthernetDevice(config.interface());
  if (!found.ok()) return found.status();
  auto& [device, link] = *found;
  const PacketDevice packet_device = {.index = device.index(), .name = config.interface()};
  auto receive = OpenReceiveSocket(packet_device, config.rx_ring_frames());
  if (!receive.ok()) return receive.status();
  auto transmit = OpenTransmitSocket(packet_device, config.tx_ring_frames());
  if (!transmit.ok()) return transmit.status();
  auto large = OpenLargeTransmitSocket(packet_device);
  if (!large.ok()) return large.status();
  FileDescriptor room(epoll_create1(EPOLL_CLOEXEC));
  if (!room.valid()) return KernelError(errno, absl::StrCat("open ", config.interface()));
  return std::make_unique<AfPacketPort>(
      Parts{std::move(device), link.counters, *std::move(receive), *std::move(transmit),
            *std::move(large), std::move(room)},
      environment);
}

absl::Status CheckAfPacketPort(const v1::AfPacketPort& config) {
  return FindEthernetDevice(config.interface()).status();
}

}  // namespace wakegate
