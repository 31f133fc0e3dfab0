#include "dataplane/ports/tap/port.h"

#include <sys/epoll.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/ports/kernel_device.h"
#include "dataplane/ports/tap/attach.h"
#include "dataplane/ports/tap/device.h"
#include "dataplane/ports/tap/rx_queue.h"
#include "dataplane/ports/tap/tx_queue.h"

namespace wakegate {
namespace {

class TapPort final : public Port {
 public:
  TapPort(TapDevice device, bool udp_segmentation, FileDescriptor never_ready,
          const LinkCounters& counters)
      : never_ready_(std::move(never_ready)),
        device_(std::move(device)),
        udp_segmentation_(udp_segmentation),
        counters_at_open_(counters) {}

  absl::Status AddQueue(FileDescriptor queue, rte_mempool* pool, ledger::RxQueueBlock& rx_block,
                        ledger::TxQueueBlock& tx_block) {
    // A descriptor of its own for each direction: the workers of both use it as they like.
    FileDescriptor tx_queue = queue.Duplicate();
    FileDescriptor room(epoll_create1(EPOLL_CLOEXEC));
    if (!tx_queue.valid() || !room.valid()) return KernelError(errno, "open a queue of a tap");
    rx_.push_back(
        std::make_unique<TapRxQueue>(std::move(queue), never_ready_.get(), pool, rx_block));
    tx_.push_back(std::make_unique<TapTxQueue>(std::move(tx_queue), std::move(room), tx_block));
    rx_queues_.emplace_back(*rx_.back());
    tx_queues_.emplace_back(*tx_.back());
    return absl::OkStatus();
  }

  absl::Status SetPersistent(bool persistent) { return device_.SetPersistent(persistent); }

  std::span<const AnyRxQueue> rx_queues() const override { return rx_queues_; }
  std::span<const AnyTxQueue> tx_queues() const override { return tx_queues_; }

  // What the host can take, which is not what we told it that we can (TUNSETOFFLOAD): a tap with
  // IFF_VNET_HDR takes partial checksums and packets to segment in any case, and of UDP where the
  // kernel knows the kind (tun_get_user in drivers/net/tun.c).
  TransmitCapabilities transmit_capabilities(uint32_t mtu) const override {
    return TransmitCapabilities::All(mtu, udp_segmentation_);
  }

  uint32_t interface_index() const override { return static_cast<uint32_t>(device_.index()); }

  absl::Status SetAdminUp(bool up) override { return device_.SetUp(up); }
  absl::Status SetMtu(uint32_t mtu) override { return device_.SetMtu(mtu); }
  // All that the host sends to the device comes here, whomever it is for.
  absl::Status SetPromiscuous(bool) override { return absl::OkStatus(); }

  absl::StatusOr<DeviceState> ReadDevice() override {
    const absl::StatusOr<LinkState> link = device_.Read();
    if (!link.ok()) return link.status();
    return DeviceStateOf(*link);
  }

  KernelCounters ReadKernelCounters() override {
    const absl::StatusOr<LinkState> link = device_.Read();
    if (link.ok()) counters_ = CountedBetween(counters_at_open_, link->counters);
    return counters_;
  }

 private:
  FileDescriptor never_ready_;  // An epoll instance with nothing in it.
  TapDevice device_;
  bool udp_segmentation_;
  LinkCounters counters_at_open_;
  KernelCounters counters_;  // As last read: they stay when the device is gone.
  std::vector<std::unique_ptr<TapRxQueue>> rx_;
  std::vector<std::unique_ptr<TapTxQueue>> tx_;
  std::vector<AnyRxQueue> rx_queues_;
  std::vector<AnyTxQueue> tx_queues_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Port>> OpenTapPort(const v1::TapPort& config,
                                                  const PortEnvironment& environment) {
  absl::StatusOr<AttachedTap> tap = AttachTap(config.interface(), config.queues());
  if (!tap.ok()) return tap.status();
  FileDescriptor never_ready(epoll_create1(EPOLL_CLOEXEC));
  FileDescriptor queue = tap->queues.front().Duplicate();
  if (!never_ready.valid() || !queue.valid()) return KernelError(errno, "open a tap");
  absl::StatusOr<TapDevice> device = TapDevice::Open(std::move(queue), config.interface());
  if (!device.ok()) return device.status();
  const absl::StatusOr<LinkState> link = device->Read();
  if (!link.ok()) return link.status();
  auto port = std::make_unique<TapPort>(*std::move(device), tap->udp_segmentation,
                                        std::move(never_ready), link->counters);
  for (std::size_t i = 0; i < tap->queues.size(); ++i) {
    const absl::Status status =
        port->AddQueue(std::move(tap->queues[i]), environment.pool, *environment.rx_blocks[i],
                       *environment.tx_blocks[i]);
    if (!status.ok()) return status;
  }
  // Last, so that a failure leaves no device behind.
  const absl::Status status = port->SetPersistent(config.persistent());
  if (!status.ok()) return status;
  return port;
}

}  // namespace wakegate
