#include "dataplane/control/plan_builder.h"

#include <utility>

#include "dataplane/control/worker_settings.h"
#include "gateway/knobs/knobs.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using Service = PortRecord::Service;
using Stage = PortRecord::Stage;

Destination Nowhere(DropReason reason) {
  Destination destination;
  destination.reason = reason;
  return destination;
}

class PlanBuilder {
 public:
  PlanBuilder(const PortRecords& records, const v1::GatewayConfig& config,
              const WorkerPool& workers)
      : records_(records), config_(config), workers_(workers) {
    for (uint32_t worker = 0; worker < workers.size(); ++worker) {
      plans_.push_back(std::make_unique<Plan>());
      plans_.back()->idle = IdleSettingsOf(config, worker);
      plans_.back()->batches_calls = BatchesCalls(WorkerKnobText(config, kCallBatchingKnob, worker),
                                                  workers.worker(worker).call_costs());
    }
  }

  absl::StatusOr<std::vector<std::unique_ptr<Plan>>> Build() {
    for (const auto& [name, record] : records_) AddSenders(*record);
    for (const auto& [name, record] : records_) {
      if (const absl::Status status = AddReceivers(*record); !status.ok()) return status;
    }
    return std::move(plans_);
  }

 private:
  void AddSenders(PortRecord& record) {
    if (record.service() == Service::kNone) return;
    for (uint32_t queue = 0; queue < record.queues().size(); ++queue) {
      PortRecord::QueuePair& pair = record.queues()[queue];
      if (pair.stage == Stage::kDetached) continue;
      std::vector<Sender>& senders = plans_[pair.place.worker]->senders;
      sender_of_queue_[{record.name(), queue}] = static_cast<uint32_t>(senders.size());
      Sender& sender = senders.emplace_back(Sender{.queue = record.port()->tx_queues()[queue],
                                                   .ledger = &pair.tx_slot.block(),
                                                   .ready_bit = pair.place.ready_bit,
                                                   .inbound = {}});
      for (const auto& [from, ring] : pair.inbound) sender.inbound.push_back(ring.get());
    }
  }

  absl::Status AddReceivers(PortRecord& record) {
    if (record.service() != Service::kFull || !record.config().admin_up()) {
      return absl::OkStatus();
    }
    for (uint32_t queue = 0; queue < record.queues().size(); ++queue) {
      PortRecord::QueuePair& pair = record.queues()[queue];
      if (pair.stage != Stage::kInPlace || SendsToAMovingQueue(record, queue)) continue;
      absl::StatusOr<Destination> destination = MakeDestination(record, queue, pair.place.worker);
      if (!destination.ok()) return destination.status();
      if (!record.port()->sleep_obstacle().empty()) plans_[pair.place.worker]->sleepless = true;
      plans_[pair.place.worker]->receivers.push_back(
          {.queue = record.port()->rx_queues()[queue],
           .ledger = &pair.rx_slot.block(),
           .burst_size =
               static_cast<uint32_t>(KnobInteger(config_, kBurstSizeKnob, record.name(), queue)),
           .trigger = TriggerOf(record, queue),
           .destination = *std::move(destination)});
    }
    return absl::OkStatus();
  }

  TriggerKind TriggerOf(PortRecord& record, uint32_t queue) const {
    if (!record.port()->rx_queues()[queue].file_tells_readiness()) return TriggerKind::kNone;
    const Worker& worker = workers_.worker(record.queues()[queue].place.worker);
    return ChooseTrigger(KnobText(config_, kRxTriggerKnob, record.name(), queue),
                         worker.ring_status())
        .kind;
  }

  bool SendsToAMovingQueue(const PortRecord& from, uint32_t queue) const {
    const auto peer = records_.find(CrossConnectedTo(config_, from.name()));
    if (peer == records_.end()) return false;
    const std::vector<PortRecord::QueuePair>& queues = peer->second->queues();
    return queues[queue % queues.size()].stage != Stage::kInPlace;
  }

  absl::StatusOr<Destination> MakeDestination(const PortRecord& from, uint32_t queue,
                                              uint32_t worker) {
    const auto peer = records_.find(CrossConnectedTo(config_, from.name()));
    if (peer == records_.end()) return Nowhere(DropReason::kNoForwarding);
    PortRecord& to = *peer->second;
    // A port whose device has failed is still open when it is taken out of service.
    if (to.port() == nullptr || !to.failure().ok() || !to.config().admin_up()) {
      return Nowhere(DropReason::kPortDown);
    }
    if (to.service() != Service::kFull) return Nowhere(DropReason::kPortRemoved);

    const auto to_queue = static_cast<uint32_t>(queue % to.queues().size());
    const uint32_t owner = to.queues()[to_queue].place.worker;
    Destination destination;
    destination.capabilities = to.port()->transmit_capabilities(to.mtu());
    destination.sender = sender_of_queue_.at({to.name(), to_queue});
    destination.kind = Destination::Kind::kOwnQueue;
    if (owner == worker) return destination;

    const bool is_new = !to.queues()[to_queue].inbound.contains(worker);
    absl::StatusOr<HandoffRing*> ring = to.InboundRing(to_queue, worker);
    if (!ring.ok()) return ring.status();
    destination.kind = Destination::Kind::kHandoff;
    destination.ring = *ring;
    if (is_new) plans_[owner]->senders[destination.sender].inbound.push_back(*ring);
    return destination;
  }

  const PortRecords& records_;
  const v1::GatewayConfig& config_;
  const WorkerPool& workers_;
  std::vector<std::unique_ptr<Plan>> plans_;
  // Where a port's transmit queue is among its owner's senders.
  std::map<std::pair<std::string, uint32_t>, uint32_t> sender_of_queue_;
};

}  // namespace

absl::StatusOr<std::vector<std::unique_ptr<Plan>>> BuildPlans(const PortRecords& records,
                                                              const v1::GatewayConfig& config,
                                                              const WorkerPool& workers) {
  return PlanBuilder(records, config, workers).Build();
}

std::string CrossConnectedTo(const v1::GatewayConfig& config, const std::string& port) {
  for (const v1::CrossConnect& cross_connect : config.cross_connects()) {
    if (cross_connect.a() == port) return cross_connect.b();
    if (cross_connect.b() == port) return cross_connect.a();
  }
  return "";
}

}  // namespace wakegate
