#include "dataplane/control/port_record.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/control/port_status.h"
#include "dataplane/packet/batch.h"
#include "dataplane/packet/drop.h"
#include "gateway/config/defaults.h"
#include "gateway/knobs/knobs.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::PortCounter;
using ledger::TxCounter;

// What no worker will take from the ring any more is taken and dropped here.
void DropRing(HandoffRing& ring, DropReason reason, ledger::TxQueueBlock& ledger) {
  rte_mbuf* packets[kMaxBurst];
  while (const uint32_t taken = ring.Take(packets)) {
    ledger.counters[TxCounter::kTakenOver].Add(taken);
    DropPackets(std::span(packets).first(taken), reason, ledger);
  }
}

// Makes an open port's device what `to` says, where that differs from `from`.
absl::Status ChangeDevice(Port& port, const v1::Port& from, const v1::Port& to) {
  absl::Status status;
  if (to.mtu() != from.mtu() && to.mtu() != 0) status.Update(port.SetMtu(to.mtu()));
  const std::string& mac_address = MacAddress(to);
  if (status.ok() && mac_address != MacAddress(from) && !mac_address.empty()) {
    status.Update(port.SetMacAddress(mac_address));
  }
  if (status.ok() && to.promiscuous() != from.promiscuous()) {
    status.Update(port.SetPromiscuous(to.promiscuous()));
  }
  if (status.ok() && to.admin_up() != from.admin_up()) {
    status.Update(port.SetAdminUp(to.admin_up()));
  }
  return status;
}

// Makes the device of a port that has just been opened what `config` says.
absl::Status SetUpDevice(Port& port, const v1::Port& config) {
  const absl::Status status = ChangeDevice(port, v1::Port(), config);
  // Where nothing is to be carried, that is no change.
  return status.ok() && !config.admin_up() ? port.SetAdminUp(false) : status;
}

}  // namespace

absl::Status WithName(const absl::Status& status, const std::string& name) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("port ", name, ": ", status.message()));
}

absl::StatusOr<std::unique_ptr<PortRecord>> PortRecord::Create(
    const v1::Port& config, std::span<const PlaceWish> wishes,
    const PortSurroundings& surroundings) {
  std::unique_ptr<PortRecord> record(new PortRecord(config, surroundings));
  if (const absl::Status status = record->Reserve(wishes); !status.ok()) {
    return WithName(status, config.name());
  }
  return record;
}

absl::Status PortRecord::Reserve(std::span<const PlaceWish> wishes) {
  absl::StatusOr<ledger::PortSlot> slot = surroundings_.ledger.AddPort(name());
  if (!slot.ok()) return slot.status();
  slot_ = *std::move(slot);
  for (uint32_t queue = 0; queue < QueueCount(config_); ++queue) {
    absl::StatusOr<Place> place = surroundings_.workers.TakePlace(wishes[queue]);
    if (!place.ok()) return place.status();
    QueuePair& pair = queues_.emplace_back();
    pair.place = *place;
    auto rx_slot = surroundings_.ledger.AddRxQueue(name(), queue, place->worker);
    if (!rx_slot.ok()) return rx_slot.status();
    pair.rx_slot = *std::move(rx_slot);
    auto tx_slot = surroundings_.ledger.AddTxQueue(name(), queue, place->worker);
    if (!tx_slot.ok()) return tx_slot.status();
    pair.tx_slot = *std::move(tx_slot);
  }
  return absl::OkStatus();
}

PortRecord::~PortRecord() {
  Close(DropReason::kPortRemoved);
  for (const QueuePair& pair : queues_) surroundings_.workers.ReturnPlace(pair.place);
}

absl::Status PortRecord::Open(absl::FunctionRef<absl::Status(const PortRecord&)> admit) {
  PortEnvironment environment;
  environment.pool = surroundings_.pool;
  environment.run_dir = surroundings_.run_dir;
  for (const QueuePair& pair : queues_) {
    environment.rx_blocks.push_back(&pair.rx_slot.block());
    environment.tx_blocks.push_back(&pair.tx_slot.block());
  }
  absl::StatusOr<std::unique_ptr<Port>> port = surroundings_.factory.Open(config_, environment);
  if (!port.ok()) return WithName(port.status(), name());
  port_ = *std::move(port);
  counted_ = {};
  absl::Status status = Refresh().status();
  if (status.ok()) status = admit(*this);
  if (status.ok()) status = SetUpDevice(*port_, config_);
  if (status.ok()) status = Refresh().status();
  if (!status.ok()) {
    port_.reset();
    return WithName(status, name());
  }
  if (was_open_) slot_.block().counters[PortCounter::kReopened].Add(1);
  was_open_ = true;
  failure_ = absl::OkStatus();
  return absl::OkStatus();
}

std::unique_ptr<Port> PortRecord::Detach(DropReason reason) {
  for (size_t queue = 0; queue < queues_.size(); ++queue) {
    QueuePair& pair = queues_[queue];
    for (auto& [worker, ring] : pair.inbound) DropRing(*ring, reason, pair.tx_slot.block());
    if (port_ != nullptr) port_->tx_queues()[queue].DropHeld(reason);
  }
  service_ = Service::kNone;
  if (port_ != nullptr) {
    port_->ReadDevice().IgnoreError();  // It may be gone: then what was counted last counts.
    CountKernel();
  }
  return std::move(port_);
}

absl::StatusOr<HandoffRing*> PortRecord::InboundRing(uint32_t queue, uint32_t from) {
  QueuePair& pair = queues_[queue];
  if (const auto found = pair.inbound.find(from); found != pair.inbound.end()) {
    return found->second.get();
  }
  absl::StatusOr<PacketRing> packets = PacketRing::Create(HandoffRing::kPackets);
  if (!packets.ok()) return WithName(packets.status(), name());
  Worker& owner = surroundings_.workers.worker(pair.place.worker);
  auto ring = std::make_unique<HandoffRing>(*std::move(packets), owner.ready(),
                                            pair.place.ready_bit, owner.bell());
  return pair.inbound.emplace(from, std::move(ring)).first->second.get();
}

bool PortRecord::HoldsNothing() {
  return std::all_of(queues_.begin(), queues_.end(), [](const QueuePair& pair) {
    return pair.tx_slot.block().levels[ledger::TxLevel::kHeld].Get() == 0 &&
           std::all_of(pair.inbound.begin(), pair.inbound.end(),
                       [](const auto& ring) { return ring.second->empty(); });
  });
}

absl::Status PortRecord::MoveTo(uint32_t queue, uint32_t worker) {
  QueuePair& pair = queues_[queue];
  absl::StatusOr<Place> place = surroundings_.workers.TakePlace({.worker = worker});
  if (!place.ok()) return WithName(place.status(), name());
  surroundings_.workers.ReturnPlace(pair.place);
  pair.place = *place;
  pair.inbound.clear();  // They ring the worker before.
  pair.rx_slot.SetWorker(place->worker);
  pair.tx_slot.SetWorker(place->worker);
  return absl::OkStatus();
}

absl::Status PortRecord::Modify(const v1::Port& config) {
  const v1::Port before = std::exchange(config_, config);
  if (port_ == nullptr) return absl::OkStatus();  // It is opened that way later.
  const DeviceState device_before = device_;
  absl::Status status = ChangeDevice(*port_, before, config);
  if (status.ok()) status = Refresh().status();
  if (!status.ok()) Restore(before, device_before);
  return WithName(status, name());
}

void PortRecord::Restore(const v1::Port& config, const DeviceState& device) {
  const v1::Port from = std::exchange(config_, config);
  if (port_ == nullptr) return;
  v1::Port to = config;
  // Where the configuration leaves something to the device, that is what it was.
  to.set_mtu(device.mtu);
  if (to.has_tap()) to.mutable_tap()->set_mac_address(device.mac_address);
  absl::Status status = ChangeDevice(*port_, from, to);
  status.Update(Refresh().status());
  if (!status.ok()) spdlog::error("port {}: could not go back: {}", name(), status.ToString());
}

absl::StatusOr<bool> PortRecord::Refresh() {
  absl::StatusOr<DeviceState> device = port_->ReadDevice();
  if (!device.ok()) return device.status();
  CountKernel();
  const bool changed = device->mtu != device_.mtu || device->admin_up != device_.admin_up ||
                       device->carrier != device_.carrier;
  device_ = *std::move(device);
  return changed;
}

void PortRecord::CountKernel() {
  const KernelCounters now = port_->ReadKernelCounters();
  const auto count = [&](PortCounter counter, uint64_t KernelCounters::*field) {
    const uint64_t counted = std::min(now.*field, counted_.*field);
    slot_.block().counters[counter].Add(now.*field - counted);
  };
  count(PortCounter::kKernelRxPackets, &KernelCounters::rx_packets);
  count(PortCounter::kKernelTxPackets, &KernelCounters::tx_packets);
  count(PortCounter::kKernelRxDropped, &KernelCounters::rx_dropped);
  count(PortCounter::kKernelTxDropped, &KernelCounters::tx_dropped);
  count(PortCounter::kKernelRxErrors, &KernelCounters::rx_errors);
  count(PortCounter::kKernelTxErrors, &KernelCounters::tx_errors);
  count(PortCounter::kSocketDropped, &KernelCounters::socket_dropped);
  count(PortCounter::kXdpRxDropped, &KernelCounters::xdp_rx_dropped);
  count(PortCounter::kXdpRxRingFull, &KernelCounters::xdp_rx_ring_full);
  count(PortCounter::kXdpFillRingEmpty, &KernelCounters::xdp_fill_ring_empty);
  count(PortCounter::kXdpRxInvalid, &KernelCounters::xdp_rx_invalid);
  count(PortCounter::kXdpTxInvalid, &KernelCounters::xdp_tx_invalid);
  count(PortCounter::kXdpTxRingEmpty, &KernelCounters::xdp_tx_ring_empty);
  counted_ = now;
}

v1::PortStatus PortRecord::Status(const std::string& cross_connected_to) const {
  v1::PortStatus status =
      port_ == nullptr ? FailedPortStatus(failure_) : OpenPortStatus(config_, device_);
  status.set_name(name());
  status.set_kind(KindName(config_));
  if (status.interface().empty()) status.set_interface(InterfaceName(config_));
  status.set_promiscuous(config_.promiscuous());
  if (port_ != nullptr) {
    status.set_sleep_obstacle(port_->sleep_obstacle());
    status.set_mode_text(port_->mode());
  }
  status.set_cross_connected_to(cross_connected_to);
  for (size_t queue = 0; queue < queues_.size(); ++queue) {
    v1::QueueStatus& pair = *status.add_queues();
    pair.set_queue(static_cast<uint32_t>(queue));
    pair.set_rx_worker(queues_[queue].place.worker);
    pair.set_tx_worker(queues_[queue].place.worker);
    if (port_ == nullptr) continue;
    const auto busy_poll = port_->BusyPollStatusOf(static_cast<uint32_t>(queue));
    if (!busy_poll) continue;
    pair.set_busy_poll(busy_poll->method);
    pair.set_busy_poll_text(busy_poll->text);
    pair.set_napi_id(busy_poll->napi);
  }
  return status;
}

}  // namespace wakegate
