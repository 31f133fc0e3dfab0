#include "dataplane/ports/tap/port.h"

#include <sys/epoll.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/netdev/network_namespace.h"
#include "dataplane/ports/kernel_device.h"
#include "dataplane/ports/tap/attach.h"
#include "dataplane/ports/tap/device.h"
#include "dataplane/ports/tap/locate.h"
#include "dataplane/ports/tap/rx_queue.h"
#include "dataplane/ports/tap/tx_queue.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

class TapPort final : public Port {
 public:
  // `place`: the home's, as configured; empty: the gateway's own.
  TapPort(TapDevice device, std::string place, NetworkNamespace home, bool made,
          bool udp_segmentation, FileDescriptor never_ready, const LinkCounters& counters)
      : never_ready_(std::move(never_ready)),
        device_(std::move(device)),
        place_(std::move(place)),
        home_(std::move(home)),
        made_(made),
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

  TapDevice& device() { return device_; }

  std::span<const AnyRxQueue> rx_queues() const override { return rx_queues_; }
  std::span<const AnyTxQueue> tx_queues() const override { return tx_queues_; }

  // What the host can take, which is not what we told it that we can (TUNSETOFFLOAD): a tap with
  // IFF_VNET_HDR takes partial checksums and packets to segment in any case, and of UDP where the
  // kernel knows the kind (tun_get_user in drivers/net/tun.c).
  TransmitCapabilities transmit_capabilities(uint32_t mtu) const override {
    return TransmitCapabilities::All(mtu, udp_segmentation_);
  }

  uint32_t interface_index() const override { return static_cast<uint32_t>(device_.index()); }

  // The cable is plugged in or out: the host keeps its addresses and routes, which IFF_UP would
  // take from it.
  absl::Status SetAdminUp(bool up) override {
    if (!up) return device_.SetCarrier(false);
    const absl::Status status = device_.SetUp(true);
    return status.ok() ? device_.SetCarrier(true) : status;
  }
  absl::Status SetMtu(uint32_t mtu) override { return device_.SetMtu(mtu); }
  absl::Status SetMacAddress(const std::string& mac_address) override {
    return device_.SetMacAddress(absl::string_view(mac_address.data(), mac_address.size()));
  }
  // All that the host sends to the device comes here, whomever it is for.
  absl::Status SetPromiscuous(bool) override { return absl::OkStatus(); }

  void ForgetMadeDevice() override {
    if (!made_) return;
    const absl::Status status = device_.SetPersistent(false);
    if (!status.ok()) spdlog::warn("{}: it stays", std::string(status.message()));
  }

  absl::StatusOr<DeviceState> ReadDevice() override {
    const absl::StatusOr<LinkState> link = device_.Read();
    if (!link.ok()) return link.status();
    if (device_.IsIn(home_)) {
      const absl::Status status = home_.CheckStillAt(place_);
      if (!status.ok()) return status;
    }
    counters_ = CountedBetween(counters_at_open_, link->counters);
    DeviceState state = DeviceStateOf(*link);
    state.network_namespace = device_.network_namespace();
    return state;
  }

  KernelCounters ReadKernelCounters() override { return counters_; }

 private:
  FileDescriptor never_ready_;  // An epoll instance with nothing in it.
  TapDevice device_;
  const std::string place_;
  const NetworkNamespace home_;
  const bool made_;
  bool udp_segmentation_;
  LinkCounters counters_at_open_;
  KernelCounters counters_;  // As last read.
  std::vector<std::unique_ptr<TapRxQueue>> rx_;
  std::vector<std::unique_ptr<TapTxQueue>> tx_;
  std::vector<AnyRxQueue> rx_queues_;
  std::vector<AnyTxQueue> tx_queues_;
};

// A tap with its device.
struct OpenTap {
  AttachedTap tap;
  TapDevice device;
};

// In the calling thread's namespace, which is that of `location`.
absl::StatusOr<OpenTap> OpenHere(const TapLocation& location, const NetworkNamespace& own,
                                 uint32_t queues) {
  absl::StatusOr<AttachedTap> tap = AttachTap(location.name, queues);
  if (!tap.ok()) return tap.status();
  FileDescriptor queue = tap->queues.front().Duplicate();
  if (!queue.valid()) return KernelError(errno, "open a tap");
  absl::StatusOr<TapDevice> device = TapDevice::Open(std::move(queue), location.name, own);
  if (!device.ok()) return device.status();
  // Else it was not there any more and one was made, which goes again.
  if (location.index == 0 || device->index() == location.index) {
    return OpenTap{*std::move(tap), *std::move(device)};
  }
  return absl::UnavailableError(
      absl::StrCat("tap ", location.name, ": it has just been moved or replaced"));
}

absl::StatusOr<OpenTap> Open(const TapLocation& location, const NetworkNamespace& own,
                             uint32_t queues) {
  std::optional<OpenTap> tap;
  const absl::Status status = location.network_namespace.RunFor(own, [&] {
    absl::StatusOr<OpenTap> opened = OpenHere(location, own, queues);
    if (!opened.ok()) return opened.status();
    tap.emplace(*std::move(opened));
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return *std::move(tap);
}

void Report(const v1::TapPort& config, const TapLocation& location, const TapDevice& device) {
  const std::string where =
      device.network_namespace().empty()
          ? ""
          : absl::StrCat(" in network namespace ", device.network_namespace());
  if (location.taken) {
    spdlog::info("tap {}: found as {}{}, where somebody has taken it", config.interface(),
                 device.name(), where);
    return;
  }
  if (location.index != 0) return;
  // Silence would hide that there is a tap of ours that the host uses.
  spdlog::info("tap {}: made{}{}", config.interface(), where,
               location.incomplete ? "; not all network namespaces could be searched for it: "
                                     "processes of others are not visible here"
                                   : "");
}

// A failure leaves no device behind.
absl::Status MakePersistent(TapDevice& device, const TapLocation& location, bool persistent) {
  if (persistent && !location.mark.empty()) {
    const absl::Status status = device.Mark(location.mark);
    if (!status.ok()) return status;
  }
  return device.SetPersistent(persistent);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Port>> OpenTapPort(const v1::TapPort& config,
                                                  const PortEnvironment& environment) {
  const absl::StatusOr<NetworkNamespace> own = NetworkNamespace::Current();
  if (!own.ok()) return own.status();
  absl::StatusOr<NetworkNamespace> home =
      NetworkNamespace::OpenOr(config.network_namespace(), *own);
  if (!home.ok()) return home.status();
  const absl::StatusOr<TapLocation> location = LocateTap(*home, config.interface());
  if (!location.ok()) return location.status();
  absl::StatusOr<OpenTap> open = Open(*location, *own, config.queues());
  if (!open.ok()) return open.status();
  auto& [tap, device] = *open;
  FileDescriptor never_ready(epoll_create1(EPOLL_CLOEXEC));
  if (!never_ready.valid()) return KernelError(errno, "open a tap");
  const absl::StatusOr<LinkState> link = device.Read();
  if (!link.ok()) return link.status();
  auto port = std::make_unique<TapPort>(
      std::move(device), config.network_namespace(), *std::move(home),
      /*made=*/location->index == 0, tap.udp_segmentation, std::move(never_ready), link->counters);
  for (std::size_t i = 0; i < tap.queues.size(); ++i) {
    const absl::Status status =
        port->AddQueue(std::move(tap.queues[i]), environment.pool, *environment.rx_blocks[i],
                       *environment.tx_blocks[i]);
    if (!status.ok()) return status;
  }
  const absl::Status status = MakePersistent(port->device(), *location, config.persistent());
  if (!status.ok()) return status;
  Report(config, *location, port->device());
  return port;
}

absl::Status CheckTapPort(const v1::TapPort& config) {
  const absl::StatusOr<NetworkNamespace> own = NetworkNamespace::Current();
  if (!own.ok()) return own.status();
  const absl::StatusOr<NetworkNamespace> home =
      NetworkNamespace::OpenOr(config.network_namespace(), *own);
  if (!home.ok()) return home.status();
  return home->RunFor(*own, [&] { return CheckMayBeTap(config.interface()); });
}

}  // namespace wakegate
