#include "dataplane/ports/memory/port.h"

#include <utility>
#include <vector>

#include "dataplane/ports/memory/rx_queue.h"
#include "dataplane/ports/memory/tx_queue.h"

namespace wakegate {
namespace {

// Packets that a transmit queue holds while the ring is full.
constexpr uint32_t kBacklogPackets = 64;

class MemoryPort : public Port {
 public:
  MemoryPort(std::unique_ptr<CableEnd> end, const PortEnvironment& environment)
      : end_(std::move(end)) {
    for (uint32_t queue = 0; queue < end_->queues(); ++queue) {
      rx_.push_back(
          std::make_unique<MemoryRxQueue>(end_->incoming(queue), *environment.rx_blocks[queue]));
      tx_.push_back(std::make_unique<MemoryTxQueue>(
          end_->outgoing(queue), end_->peer_plugged(), kBacklogPackets,
          FlushPolicy(/*interval=*/0, kMaxBurst), *environment.tx_blocks[queue]));
      any_rx_.emplace_back(*rx_.back());
      any_tx_.emplace_back(*tx_.back());
    }
  }

  std::span<const AnyRxQueue> rx_queues() const override { return any_rx_; }
  std::span<const AnyTxQueue> tx_queues() const override { return any_tx_; }
  TransmitCapabilities transmit_capabilities(uint32_t mtu) const override {
    // The other end is in the gateway too: it passes every request on.
    return TransmitCapabilities::All(mtu, /*udp=*/true);
  }

  absl::Status SetAdminUp(bool up) override {
    end_->SetPlugged(up);
    return absl::OkStatus();
  }
  absl::Status SetMtu(uint32_t mtu) override {
    mtu_ = mtu;
    return absl::OkStatus();
  }
  absl::Status SetPromiscuous(bool) override { return absl::OkStatus(); }  // It always is.

  absl::StatusOr<DeviceState> ReadDevice() override {
    return DeviceState{.admin_up = end_->plugged(),
                       .carrier = end_->peer_plugged(),
                       .mtu = mtu_,
                       .mac_address = ""};
  }
  KernelCounters ReadKernelCounters() override { return {}; }

 private:
  std::unique_ptr<CableEnd> end_;
  uint32_t mtu_ = 1500;
  std::vector<std::unique_ptr<MemoryRxQueue>> rx_;
  std::vector<std::unique_ptr<MemoryTxQueue>> tx_;
  std::vector<AnyRxQueue> any_rx_;
  std::vector<AnyTxQueue> any_tx_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Port>> OpenMemoryPort(const v1::MemoryPort& config,
                                                     const PortEnvironment& environment,
                                                     CableRegistry& cables) {
  absl::StatusOr<std::unique_ptr<CableEnd>> end =
      cables.Plug(config.cable(), config.queues(), config.ring_packets());
  if (!end.ok()) return end.status();
  return std::make_unique<MemoryPort>(*std::move(end), environment);
}

}  // namespace wakegate
