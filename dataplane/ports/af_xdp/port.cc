#include "dataplane/ports/af_xdp/port.h"

#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <rte_eal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/netdev/network_device.h"
#include "dataplane/netdev/network_namespace.h"
#include "dataplane/ports/af_xdp/buffer_memory.h"
#include "dataplane/ports/af_xdp/busy_poller.h"
#include "dataplane/ports/af_xdp/program.h"
#include "dataplane/ports/af_xdp/queue_napi.h"
#include "dataplane/ports/af_xdp/rx_queue.h"
#include "dataplane/ports/af_xdp/sockets.h"
#include "dataplane/ports/af_xdp/tx_queue.h"
#include "dataplane/ports/kernel_device.h"
#include "gateway/config/xdp_selector.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

// How long closing waits for buffers that the kernel has of packets to send.
constexpr std::chrono::milliseconds kPatienceWithBuffers{200};
// How long a device that writes into the buffers itself may take to stop (sockets.h).
constexpr std::chrono::milliseconds kDeviceStops{100};
// Of all buffers, those that the kernel has for packets to come are at most one in so many.
constexpr uint32_t kShareOfPool = 4;

// All that a port is made of.
struct Parts {
  NetworkNamespace network_namespace;
  std::string namespace_name;  // Empty: the gateway's own.
  NetworkDevice device;
  LinkState link;
  XdpProgram program;
  std::unique_ptr<XdpSockets> sockets;
  bool generic = false;
  std::string why_generic;  // Where native was tried.
};

class AfXdpPort final : public Port {
 public:
  AfXdpPort(Parts parts, std::string place, const PortEnvironment& environment)
      : network_namespace_(std::move(parts.network_namespace)),
        place_(std::move(place)),
        namespace_name_(std::move(parts.namespace_name)),
        device_(std::move(parts.device)),
        counters_at_open_(parts.link.counters),
        is_veth_(parts.link.kind == "veth"),
        generic_(parts.generic),
        why_generic_(std::move(parts.why_generic)),
        program_(std::move(parts.program)),
        sockets_(std::move(parts.sockets)),
        zero_copy_(sockets_->zero_copy()),
        multi_buffer_(sockets_->multi_buffer()) {
    const BufferMemory memory = MemoryOf(environment.pool);
    const auto queues = static_cast<uint32_t>(environment.rx_blocks.size());
    const uint32_t share = environment.pool->size / (kShareOfPool * queues);
    for (uint32_t queue = 0; queue < queues; ++queue) {
      XdpRings& rings = sockets_->rings(queue);
      const XdpRxSettings rx_settings = {.buffers = std::min(rings.fill.size, share),
                                         .zero_copy = zero_copy_,
                                         .partial_checksums = is_veth_ || generic_};
      ledger::RxQueueBlock& rx_ledger = *environment.rx_blocks[queue];
      busy_pollers_.push_back(std::make_unique<BusyPoller>(
          rings.socket, [this, queue] { return NapiOf(queue); }, network_namespace_,
          environment.run_dir, rx_ledger));
      rx_.push_back(std::make_unique<AfXdpRxQueue>(rings, memory, rx_settings,
                                                   *busy_pollers_.back(), rx_ledger));
      const XdpTxSettings tx_settings = {.zero_copy = zero_copy_, .multi_buffer = multi_buffer_};
      tx_.push_back(std::make_unique<AfXdpTxQueue>(rings, memory, tx_settings,
                                                   *environment.tx_blocks[queue]));
      rx_queues_.emplace_back(*rx_.back());
      tx_queues_.emplace_back(*tx_.back());
    }
  }

  ~AfXdpPort() override {
    program_.Detach();
    const auto end = std::chrono::steady_clock::now() + kPatienceWithBuffers;
    for (const auto& tx : tx_) {
      tx->DropHeld(ledger::DropReason::kPortRemoved);
      tx->AwaitBuffers(end);
    }
    for (const auto& busy_poller : busy_pollers_) busy_poller->Tune({});
    sockets_.reset();
    if (zero_copy_) std::this_thread::sleep_for(kDeviceStops);
  }

  // Lets packets in.
  absl::Status Start() {
    for (uint32_t queue = 0; queue < rx_.size(); ++queue) {
      const absl::Status status = program_.SetSocket(queue, rx_[queue]->wait_fd());
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  std::span<const AnyRxQueue> rx_queues() const override { return rx_queues_; }
  std::span<const AnyTxQueue> tx_queues() const override { return tx_queues_; }

  TransmitCapabilities transmit_capabilities(uint32_t mtu) const override {
    return {.mtu = mtu, .chains = multi_buffer_};
  }

  uint32_t interface_index() const override { return static_cast<uint32_t>(device_.index()); }

  std::string mode() const override {
    return absl::StrCat(generic_ ? "generic" : "native", zero_copy_ ? ", zero-copy" : ", copies",
                        multi_buffer_ ? ", multi-buffer" : "",
                        why_generic_.empty() ? "" : absl::StrCat("; ", why_generic_));
  }

  void Tune(uint32_t queue, const QueueTuning& tuning) override {
    busy_pollers_[queue]->Tune(tuning);
    // Without copies the device takes packets by itself, and its flag says when to ask again.
    tx_[queue]->Continue(zero_copy_ ? TxContinue::kAtOnce : tuning.tx_continue);
  }
  std::optional<BusyPollStatus> BusyPollStatusOf(uint32_t queue) const override {
    return busy_pollers_[queue]->status();
  }

  absl::Status SetAdminUp(bool up) override { return device_.SetUp(up); }
  absl::Status SetMtu(uint32_t mtu) override { return device_.SetMtu(mtu); }

  // The kernel counts who wants it, and takes our wish back when the socket is closed.
  absl::Status SetPromiscuous(bool promiscuous) override {
    if (promiscuous == promiscuity_.valid()) return absl::OkStatus();
    if (!promiscuous) {
      promiscuity_ = FileDescriptor();
      return absl::OkStatus();
    }
    return network_namespace_.Run([this] {
      // Protocol 0: it receives nothing.
      FileDescriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
      packet_mreq request = {};
      request.mr_ifindex = device_.index();
      request.mr_type = PACKET_MR_PROMISC;
      if (!socket.valid() || setsockopt(socket.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request,
                                        sizeof(request)) != 0) {
        return KernelError(errno, absl::StrCat("set promiscuous mode of ", device_.name()));
      }
      promiscuity_ = std::move(socket);
      return absl::OkStatus();
    });
  }

  absl::StatusOr<DeviceState> ReadDevice() override {
    const absl::StatusOr<LinkState> link = device_.Read();
    if (!link.ok()) return link.status();
    const KernelCounters sockets = counters_;
    counters_ = CountedBetween(counters_at_open_, link->counters);
    TakeSocketCounters(sockets);
    if (std::ranges::any_of(rx_, [](const auto& queue) { return queue->unbound(); })) {
      return absl::UnavailableError(
          absl::StrCat("the kernel has taken ", device_.name(),
                       " from its AF_XDP sockets: it was deleted or moved, and is back"));
    }
    const absl::Status status = network_namespace_.CheckStillAt(place_);
    if (!status.ok()) return status;
    DeviceState state = DeviceStateOf(*link);
    state.network_namespace = namespace_name_;
    return state;
  }

  KernelCounters ReadKernelCounters() override {
    KernelCounters sum;
    for (const auto& queue : rx_) {
      xdp_statistics statistics = {};
      socklen_t size = sizeof(statistics);
      if (getsockopt(queue->wait_fd(), SOL_XDP, XDP_STATISTICS, &statistics, &size) != 0) continue;
      sum.xdp_rx_dropped += statistics.rx_dropped;
      sum.xdp_rx_ring_full += statistics.rx_ring_full;
      sum.xdp_fill_ring_empty += statistics.rx_fill_ring_empty_descs;
      sum.xdp_rx_invalid += statistics.rx_invalid_descs;
      sum.xdp_tx_invalid += statistics.tx_invalid_descs;
      sum.xdp_tx_ring_empty += statistics.tx_ring_empty_descs;
    }
    // A packet that finds the fill ring empty is among the former too (__xsk_rcv in net/xdp/xsk.c).
    sum.socket_dropped = sum.xdp_rx_dropped + sum.xdp_rx_ring_full;
    TakeSocketCounters(sum);
    return counters_;
  }

 private:
  QueueNapi NapiOf(uint32_t queue) const {
    QueueNapi napi;
    const absl::Status status = network_namespace_.Run([&] {
      napi = FindQueueNapi(sockets_->rings(queue).socket, queue, device_.index(), is_veth_);
      return absl::OkStatus();
    });
    if (!status.ok()) napi.why_not_known = std::string(status.message());
    return napi;
  }

  void TakeSocketCounters(const KernelCounters& from) {
    counters_.socket_dropped = from.socket_dropped;
    counters_.xdp_rx_dropped = from.xdp_rx_dropped;
    counters_.xdp_rx_ring_full = from.xdp_rx_ring_full;
    counters_.xdp_fill_ring_empty = from.xdp_fill_ring_empty;
    counters_.xdp_rx_invalid = from.xdp_rx_invalid;
    counters_.xdp_tx_invalid = from.xdp_tx_invalid;
    counters_.xdp_tx_ring_empty = from.xdp_tx_ring_empty;
  }

  const NetworkNamespace network_namespace_;
  const std::string place_;  // As configured; empty: the gateway's own.
  const std::string namespace_name_;
  NetworkDevice device_;
  LinkCounters counters_at_open_;
  KernelCounters counters_;  // As last read.
  const bool is_veth_;
  const bool generic_;
  const std::string why_generic_;
  FileDescriptor promiscuity_;
  XdpProgram program_;
  std::unique_ptr<XdpSockets> sockets_;
  const bool zero_copy_;
  const bool multi_buffer_;
  std::vector<std::unique_ptr<BusyPoller>> busy_pollers_;
  std::vector<std::unique_ptr<AfXdpRxQueue>> rx_;
  std::vector<std::unique_ptr<AfXdpTxQueue>> tx_;
  std::vector<AnyRxQueue> rx_queues_;
  std::vector<AnyTxQueue> tx_queues_;
};

// The program on the device, and the sockets on its queues.
struct Attached {
  XdpProgram program;
  std::unique_ptr<XdpSockets> sockets;
};

absl::StatusOr<Attached> Attach(const v1::AfXdpPort& config, const NetworkDevice& device,
                                const BufferMemory& memory, bool generic) {
  const absl::StatusOr<XdpSelector> selector = ParseXdpSelector(config.selector());
  if (!selector.ok()) return selector.status();
  absl::StatusOr<XdpProgram> program = XdpProgram::Load(*selector);
  if (!program.ok()) return program.status();
  absl::Status status = program->Attach(device.index(), device.name(), generic);
  if (!status.ok()) return status;
  XdpSocketOptions options = {.interface = device.name(),
                              .queues = config.queues(),
                              .rx_frames = config.rx_ring_frames(),
                              .tx_frames = config.tx_ring_frames(),
                              .copies = XdpSocketOptions::Copies::kAlways};
  if (config.mode() == "zero_copy") {
    options.copies = XdpSocketOptions::Copies::kNever;
  } else if (config.mode() == "auto" && !generic && rte_eal_has_hugepages() != 0) {
    // A device cannot use a buffer that crosses pages which are not neighbours for it too.
    options.copies = XdpSocketOptions::Copies::kAsDeviceCan;
  }
  absl::StatusOr<std::unique_ptr<XdpSockets>> sockets = XdpSockets::Open(memory, options);
  if (!sockets.ok()) return sockets.status();
  return Attached{*std::move(program), *std::move(sockets)};
}

// In the calling thread's namespace, which is the device's.
absl::Status OpenHere(const v1::AfXdpPort& config, const PortEnvironment& environment,
                      NetworkNamespace network_namespace, std::string namespace_name,
                      std::optional<Parts>& parts) {
  absl::StatusOr<FoundDevice> found = FindEthernetDevice(config.interface());
  if (!found.ok()) return found.status();
  auto& [device, link] = *found;
  if (config.mode() == "zero_copy" && rte_eal_has_hugepages() == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("open ", config.interface(),
                     " with mode zero_copy: needs hugepages (vm.nr_hugepages), which there were "
                     "too few of when the gateway started; or use mode auto"));
  }
  const BufferMemory memory = MemoryOf(environment.pool);
  bool generic = config.mode() == "generic";
  std::string why_generic;
  absl::StatusOr<Attached> attached = Attach(config, device, memory, generic);
  if (!attached.ok() && config.mode() == "auto" && !absl::IsAlreadyExists(attached.status())) {
    why_generic = std::string(attached.status().message());
    absl::StatusOr<Attached> second = Attach(config, device, memory, /*generic=*/true);
    if (!second.ok()) return attached.status();
    generic = true;
    attached = std::move(second);
  }
  if (!attached.ok()) return attached.status();
  parts.emplace(Parts{std::move(network_namespace), std::move(namespace_name), std::move(device),
                      std::move(link), std::move(attached->program), std::move(attached->sockets),
                      generic, std::move(why_generic)});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Port>> OpenAfXdpPort(const v1::AfXdpPort& config,
                                                    const PortEnvironment& environment) {
  const absl::StatusOr<NetworkNamespace> own = NetworkNamespace::Current();
  if (!own.ok()) return own.status();
  const std::string& place = config.network_namespace();
  const absl::StatusOr<NetworkNamespace> home = NetworkNamespace::OpenOr(place, *own);
  if (!home.ok()) return home.status();
  NetworkNamespace kept = home->Duplicate();
  if (!kept.valid()) return KernelError(errno, absl::StrCat("open ", config.interface()));
  const std::string name = *home == *own ? "" : home->Name();
  std::optional<Parts> parts;
  const absl::Status status = home->RunFor(
      *own, [&] { return OpenHere(config, environment, std::move(kept), name, parts); });
  if (!status.ok()) return status;
  auto port = std::make_unique<AfXdpPort>(*std::move(parts), place, environment);
  if (const absl::Status started = port->Start(); !started.ok()) return started;
  spdlog::info("af_xdp {}: {}", config.interface(), port->mode());
  return port;
}

absl::Status CheckAfXdpPort(const v1::AfXdpPort& config) {
  const absl::StatusOr<NetworkNamespace> own = NetworkNamespace::Current();
  if (!own.ok()) return own.status();
  const absl::StatusOr<NetworkNamespace> home =
      NetworkNamespace::OpenOr(config.network_namespace(), *own);
  if (!home.ok()) return home.status();
  return home->RunFor(*own, [&] { return FindEthernetDevice(config.interface()).status(); });
}

}  // namespace wakegate
