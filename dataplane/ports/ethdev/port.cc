#include "dataplane/ports/ethdev/port.h"

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <sys/epoll.h>

#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/ports/ethdev/counters.h"
#include "dataplane/ports/ethdev/device.h"
#include "dataplane/ports/ethdev/device_events.h"
#include "dataplane/ports/ethdev/driver_callbacks.h"
#include "dataplane/ports/ethdev/interrupt_thread.h"
#include "dataplane/ports/ethdev/memif_socket.h"
#include "dataplane/ports/ethdev/rx_queue.h"
#include "dataplane/ports/ethdev/setup.h"
#include "dataplane/ports/ethdev/tx_queue.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

using ledger::DropReason;

// As a client, net_memif connects when it is started, and never again: once its peer has gone, it
// has to be opened anew.
bool ConnectsOnce(const std::string& devargs) {
  const std::optional<MemifSocket> socket = MemifSocketOf(devargs);
  return socket.has_value() && !socket->listens;
}

class EthdevPort final : public Port {
 public:
  EthdevPort(EthernetDevice device, const v1::EthdevPort& config, const rte_eth_dev_info& info,
             rte_mempool* pool)
      : device_(std::move(device)),
        config_(config),
        pool_(pool),
        driver_(info.driver_name),
        max_mtu_(info.max_mtu),
        tx_offloads_(UsefulTxOffloads(info)),
        events_(device_.id(), flags_.carrier),
        counters_(device_.id()),
        connects_once_(ConnectsOnce(config.devargs())) {}

  ~EthdevPort() override {
    if (const absl::Status status = Stop(); !status.ok()) {
      spdlog::error("{}", std::string(status.message()));
    }
  }

  absl::Status Open(const PortEnvironment& environment) {
    if (absl::Status status = SetUp(device_, config_, pool_, interrupts_); !status.ok()) {
      // Some drivers refuse interrupts here, some when they start.
      interrupts_ = false;
      status = SetUp(device_, config_, pool_, interrupts_);
      if (!status.ok()) return status;
    }
    uint16_t mtu = 0;
    rte_eth_dev_get_mtu(device_.id(), &mtu);
    mtu_ = mtu;
    counters_.Begin();
    return MakeQueues(environment);
  }

  std::span<const AnyRxQueue> rx_queues() const override { return any_rx_; }
  std::span<const AnyTxQueue> tx_queues() const override { return any_tx_; }
  TransmitCapabilities transmit_capabilities(uint32_t mtu) const override {
    return CapabilitiesOf(tx_offloads_, mtu);
  }
  std::string sleep_obstacle() const override {
    return interrupts_ ? "" : absl::StrCat(driver_, " has no Rx interrupts");
  }

  absl::Status SetAdminUp(bool up) override {
    if (up == running_) return absl::OkStatus();
    if (up) return Start();
    flags_.admin_up.store(false, std::memory_order_relaxed);
    const absl::Status status = Stop();
    for (const std::unique_ptr<EthdevRxQueue>& queue : rx_) {
      queue->DropStash(DropReason::kPortDown);
    }
    return status;
  }

  // Where the driver knows no MTU it is the port's own: what is longer is not sent.
  absl::Status SetMtu(uint32_t mtu) override {
    if (mtu == mtu_) return absl::OkStatus();
    if (mtu > max_mtu_) {
      return absl::InvalidArgumentError(absl::StrCat("set the MTU of ", device_.name(), " to ", mtu,
                                                     ": it takes up to ", max_mtu_));
    }
    int error = rte_eth_dev_set_mtu(device_.id(), static_cast<uint16_t>(mtu));
    // Not while it runs: an interruption of the traffic, but no new port.
    if (error == -EBUSY && running_) {
      absl::Status status = Stop();
      if (!status.ok()) return status;
      error = rte_eth_dev_set_mtu(device_.id(), static_cast<uint16_t>(mtu));
      status = Start();
      if (!status.ok()) return status;
    }
    if (error != 0 && error != -ENOTSUP) {
      return device_.Error(error, absl::StrCat("set the MTU ", mtu, " of"));
    }
    mtu_ = mtu;
    return absl::OkStatus();
  }

  // A driver without the function has no address filter: it receives everything.
  absl::Status SetPromiscuous(bool promiscuous) override {
    const int error = promiscuous ? rte_eth_promiscuous_enable(device_.id())
                                  : rte_eth_promiscuous_disable(device_.id());
    if (error == 0 || error == -ENOTSUP) return absl::OkStatus();
    return device_.Error(error,
                         absl::StrCat(promiscuous ? "set" : "unset", " promiscuous mode of"));
  }

  absl::StatusOr<DeviceState> ReadDevice() override {
    if (events_.removed() || rte_eth_dev_is_removed(device_.id()) != 0) {
      return absl::UnavailableError(absl::StrCat(device_.name(), " was removed"));
    }
    rte_eth_link link = {};
    if (const int error = rte_eth_link_get_nowait(device_.id(), &link); error != 0) {
      return device_.Error(error, "ask for the link of");
    }
    const bool carrier = running_ && link.link_status == RTE_ETH_LINK_UP;
    if (connects_once_ && was_connected_ && running_ && !carrier) {
      return absl::UnavailableError(absl::StrCat(device_.name(), " has lost its peer"));
    }
    was_connected_ = carrier;
    flags_.carrier.store(carrier, std::memory_order_relaxed);
    return DeviceState{
        .admin_up = running_, .carrier = carrier, .mtu = mtu_, .mac_address = ReadMac()};
  }

  KernelCounters ReadKernelCounters() override { return counters_.Read(); }
  absl::StatusOr<std::map<std::string, uint64_t>> ReadDeviceStats() override {
    return counters_.ReadAll();
  }

 private:
  absl::Status MakeQueues(const PortEnvironment& environment) {
    const auto queues = static_cast<uint16_t>(config_.queues());
    for (uint16_t queue = 0; queue < queues; ++queue) {
      FileDescriptor epoll(epoll_create1(EPOLL_CLOEXEC));
      if (!epoll.valid()) return KernelError(errno, absl::StrCat("open ", device_.name()));
      rx_.push_back(std::make_unique<EthdevRxQueue>(device_.id(), queue, pool_, std::move(epoll),
                                                    *environment.rx_blocks[queue]));
      tx_.push_back(std::make_unique<EthdevTxQueue>(device_.id(), queue, tx_offloads_, flags_,
                                                    *environment.tx_blocks[queue]));
      any_rx_.emplace_back(*rx_.back());
      any_tx_.emplace_back(*tx_.back());
    }
    return absl::OkStatus();
  }

  absl::Status Start() {
    DriverCallbacksHeld held(driver_);
    int error = rte_eth_dev_start(device_.id());
    if (error != 0 && interrupts_) {
      interrupts_ = false;
      if (absl::Status status = SetUp(device_, config_, pool_, interrupts_); !status.ok()) {
        return status;
      }
      error = rte_eth_dev_start(device_.id());
    }
    if (error != 0) return device_.Error(error, "start");
    running_ = true;
    flags_.admin_up.store(true, std::memory_order_relaxed);
    for (const std::unique_ptr<EthdevTxQueue>& queue : tx_) queue->Start();
    bool interrupts = interrupts_;
    for (const std::unique_ptr<EthdevRxQueue>& queue : rx_) interrupts &= queue->Start(interrupts);
    interrupts_ = interrupts;
    ForEachGate([&](Gate& gate) { held.CloseDuringCallbacks(gate); });
    return absl::OkStatus();
  }

  absl::Status Stop() {
    if (!running_) return absl::OkStatus();
    {
      DriverCallbacksHeld held(driver_);
      ForEachGate([&](Gate& gate) { held.LeaveAlone(gate); });
    }
    for (const std::unique_ptr<EthdevRxQueue>& queue : rx_) queue->Stop();
    for (const std::unique_ptr<EthdevTxQueue>& queue : tx_) queue->Stop();
    running_ = false;
    WaitForInterruptThread();
    const DriverCallbacksHeld held(driver_);
    const int error = rte_eth_dev_stop(device_.id());
    return error == 0 ? absl::OkStatus() : device_.Error(error, "stop");
  }

  void ForEachGate(absl::FunctionRef<void(Gate&)> visit) {
    for (const std::unique_ptr<EthdevRxQueue>& queue : rx_) visit(queue->gate());
    for (const std::unique_ptr<EthdevTxQueue>& queue : tx_) visit(queue->gate());
  }

  std::string ReadMac() const {
    rte_ether_addr mac;
    if (rte_eth_macaddr_get(device_.id(), &mac) != 0) return "";
    return absl::StrFormat("%02x:%02x:%02x:%02x:%02x:%02x", mac.addr_bytes[0], mac.addr_bytes[1],
                           mac.addr_bytes[2], mac.addr_bytes[3], mac.addr_bytes[4],
                           mac.addr_bytes[5]);
  }

  EthernetDevice device_;
  const v1::EthdevPort config_;
  rte_mempool* const pool_;
  const std::string driver_;
  const uint32_t max_mtu_;
  const uint64_t tx_offloads_;
  PortFlags flags_;
  DeviceEvents events_;
  EthdevCounters counters_;
  const bool connects_once_;
  bool was_connected_ = false;
  bool interrupts_ = true;  // As far as it is known: false once the driver has refused them.
  bool running_ = false;
  uint32_t mtu_ = 0;
  std::vector<std::unique_ptr<EthdevRxQueue>> rx_;
  std::vector<std::unique_ptr<EthdevTxQueue>> tx_;
  std::vector<AnyRxQueue> any_rx_;
  std::vector<AnyTxQueue> any_tx_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Port>> OpenEthdevPort(const v1::EthdevPort& config,
                                                     const PortEnvironment& environment) {
  if (absl::Status status = Gate::Prepare(); !status.ok()) return status;
  absl::StatusOr<EthernetDevice> device = EthernetDevice::Plug(config.devargs());
  if (!device.ok()) return device.status();
  const absl::StatusOr<rte_eth_dev_info> info = device->Info();
  if (!info.ok()) return info.status();
  auto port = std::make_unique<EthdevPort>(*std::move(device), config, *info, environment.pool);
  if (absl::Status status = port->Open(environment); !status.ok()) return status;
  return port;
}

absl::Status CheckEthdevPort(const v1::EthdevPort& config) {
  return EthernetDevice::Check(config.devargs());
}

}  // namespace wakegate
