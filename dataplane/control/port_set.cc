#include "dataplane/control/port_set.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/control/worker_settings.h"
#include "gateway/config/defaults.h"
#include "gateway/knobs/knobs.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using Service = PortRecord::Service;
using Stage = PortRecord::Stage;

// How long a port on its way out may go on sending what it holds.
constexpr auto kLongestGoodbye = std::chrono::milliseconds(100);

// Some microseconds, unless a worker's CPU is taken away.
constexpr auto kLongestHandOver = std::chrono::seconds(1);

constexpr size_t kMostClosers = 16;

// The kernel waits out an RCU grace period for each packet socket that is closed, some 60 ms for a
// port, but for many of them at a time as well as for one.
void Destroy(std::vector<std::unique_ptr<Port>> ports) {
  std::atomic<size_t> next = 0;
  const auto destroy_some = [&] {
    for (size_t i = next++; i < ports.size(); i = next++) ports[i].reset();
  };
  std::vector<std::thread> closers;
  while (closers.size() + 1 < std::min(kMostClosers, ports.size())) {
    closers.emplace_back(destroy_some);
  }
  destroy_some();
  for (std::thread& closer : closers) closer.join();
}

// Of two open ports. Names do not tell: a device may have several, and another one tomorrow.
bool IsSameDevice(const PortRecord& a, const PortRecord& b) {
  return a.port()->interface_index() != 0 &&
         a.port()->interface_index() == b.port()->interface_index() &&
         a.device().network_namespace == b.device().network_namespace;
}

}  // namespace

PortSet::~PortSet() {
  std::vector<std::string> names;
  for (const auto& [name, record] : records_) names.push_back(name);
  Retire(names, v1::GatewayConfig(), DropReason::kStopping);
}

absl::Status PortSet::Open(PortRecord& record) const {
  return record.Open([&](const PortRecord& opened) {
    for (const auto& [name, other] : records_) {
      if (other.get() == &record || other->port() == nullptr) continue;
      if (!IsSameDevice(opened, *other)) continue;
      return absl::AlreadyExistsError(absl::StrCat("interface ", InterfaceName(opened.config()),
                                                   " is ", opened.device().interface,
                                                   ", which port ", name, " has already"));
    }
    return absl::OkStatus();
  });
}

std::optional<uint32_t> PortSet::WorkerOf(const v1::Port& config, uint32_t queue,
                                          const v1::GatewayConfig& gateway_config) const {
  if (const auto given = WorkerOfQueue(gateway_config, config.name(), queue)) return given;
  const auto record = records_.find(config.name());
  if (record == records_.end() || queue >= record->second->queues().size()) return std::nullopt;
  return record->second->queues()[queue].place.worker;
}

std::vector<PlaceWish> PortSet::Wishes(const v1::Port& config,
                                       const v1::GatewayConfig& gateway_config) const {
  const std::string peer_name = CrossConnectedTo(gateway_config, config.name());
  const auto peer = std::ranges::find(gateway_config.ports(), peer_name, &v1::Port::name);
  std::vector<PlaceWish> wishes(QueueCount(config));
  for (uint32_t queue = 0; queue < wishes.size(); ++queue) {
    wishes[queue].worker = WorkerOfQueue(gateway_config, config.name(), queue);
    if (peer == gateway_config.ports().end()) continue;
    wishes[queue].beside = WorkerOf(*peer, queue % QueueCount(*peer), gateway_config);
  }
  return wishes;
}

absl::Status PortSet::Add(const v1::Port& config, const v1::GatewayConfig& gateway_config) {
  absl::StatusOr<std::unique_ptr<PortRecord>> record =
      PortRecord::Create(config, Wishes(config, gateway_config), surroundings_);
  if (!record.ok()) return record.status();
  if (absl::Status status = Open(**record); !status.ok()) return status;
  records_[config.name()] = *std::move(record);
  return absl::OkStatus();
}

absl::Status PortSet::AddEvenIfClosed(const v1::Port& config,
                                      const v1::GatewayConfig& gateway_config) {
  absl::StatusOr<std::unique_ptr<PortRecord>> record =
      PortRecord::Create(config, Wishes(config, gateway_config), surroundings_);
  if (!record.ok()) return record.status();
  const absl::Status opened = Open(**record);
  if (!opened.ok()) (*record)->SetFailure(opened);
  records_[config.name()] = *std::move(record);
  return opened;
}

void PortSet::PutBack(std::unique_ptr<PortRecord> record) {
  const std::string name = record->name();
  records_[name] = std::move(record);
}

std::unique_ptr<PortRecord> PortSet::Remove(const std::string& name) {
  return std::move(records_.extract(name).mapped());
}

absl::Status PortSet::Publish(const v1::GatewayConfig& config) {
  // First: the workers look at each queue anew when they take up the plan.
  TuneQueues(config);
  return PublishPlans(config);
}

absl::Status PortSet::PublishPlans(const v1::GatewayConfig& config) {
  absl::StatusOr<std::vector<std::unique_ptr<Plan>>> plans =
      BuildPlans(records_, config, surroundings_.workers);
  if (!plans.ok()) return plans.status();
  surroundings_.workers.Publish(*std::move(plans));
  return absl::OkStatus();
}

void PortSet::TuneQueues(const v1::GatewayConfig& config) {
  for (const auto& [name, record] : records_) {
    if (record->port() == nullptr || record->service() != Service::kFull) continue;
    for (uint32_t queue = 0; queue < record->queues().size(); ++queue) {
      const uint32_t worker = record->queues()[queue].place.worker;
      const bool shared = surroundings_.workers.worker(worker).cpu_is_shared();
      record->port()->Tune(queue, QueueTuningOf(config, name, queue, shared));
    }
  }
}

absl::Status PortSet::Move(const std::vector<QueueMove>& moves, const v1::GatewayConfig& config) {
  if (moves.empty()) return absl::OkStatus();
  // Nothing is received from the queues that move, nor for them; what is on its way between
  // workers, and was received before, is sent first.
  SetStage(moves, Stage::kPaused);
  absl::Status status = PublishPlans(config);
  if (status.ok() && !WaitUntilHandedOver()) {
    status = absl::DeadlineExceededError(
        "a worker does not get to the packets that others gave it: is its CPU taken away?");
  }
  std::vector<QueueMove> back;
  if (status.ok()) {
    SetStage(moves, Stage::kDetached);
    status = PublishPlans(config);
    for (const QueueMove& move : moves) {
      if (!status.ok()) break;
      const uint32_t from = record(move.port).queues()[move.queue].place.worker;
      status = record(move.port).MoveTo(move.queue, move.to_worker);
      if (status.ok()) back.push_back({move.port, move.queue, from});
    }
  }
  if (!status.ok()) {
    for (const QueueMove& move : back) {
      status.Update(record(move.port).MoveTo(move.queue, move.to_worker));
    }
  }
  SetStage(moves, Stage::kInPlace);
  status.Update(PublishPlans(config));
  return status;
}

void PortSet::SetStage(const std::vector<QueueMove>& moves, Stage stage) {
  for (const QueueMove& move : moves) record(move.port).queues()[move.queue].stage = stage;
}

bool PortSet::WaitUntilHandedOver() {
  std::vector<std::pair<const HandoffRing*, uint32_t>> rings;
  for (const auto& [name, record] : records_) {
    for (const PortRecord::QueuePair& pair : record->queues()) {
      for (const auto& [worker, ring] : pair.inbound) {
        rings.emplace_back(ring.get(), ring->put_count());
      }
    }
  }
  const auto give_up = std::chrono::steady_clock::now() + kLongestHandOver;
  const auto has_taken = [](const auto& ring) { return ring.first->HasTaken(ring.second); };
  while (!std::ranges::all_of(rings, has_taken)) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

void PortSet::Retire(const std::vector<std::string>& names, const v1::GatewayConfig& config,
                     DropReason reason) {
  if (names.empty()) return;
  // A plan with less in it needs nothing new, so that neither can fail.
  SetService(names, Service::kSendOnly);
  absl::Status status = PublishPlans(config);
  if (status.ok()) WaitUntilSent(names);
  SetService(names, Service::kNone);
  status.Update(PublishPlans(config));
  if (!status.ok()) {
    spdlog::critical("cannot take ports out of service: {}", std::string(status.message()));
    std::abort();  // Closing them now would free what workers use.
  }
  std::vector<std::unique_ptr<Port>> ports;
  for (const std::string& name : names) ports.push_back(record(name).Detach(reason));
  Destroy(std::move(ports));
}

void PortSet::SetService(const std::vector<std::string>& names, Service service) {
  for (const std::string& name : names) {
    if (record(name).port() != nullptr) record(name).set_service(service);
  }
}

void PortSet::WaitUntilSent(const std::vector<std::string>& names) {
  const auto give_up = std::chrono::steady_clock::now() + kLongestGoodbye;
  const auto holds_nothing = [this](const std::string& name) {
    return record(name).HoldsNothing();
  };
  while (!std::all_of(names.begin(), names.end(), holds_nothing) &&
         std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace wakegate
