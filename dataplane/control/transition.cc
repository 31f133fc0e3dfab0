#include "dataplane/control/transition.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/control/port_factory.h"
#include "gateway/config/defaults.h"
#include "gateway/knobs/knobs.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using Service = PortRecord::Service;

// What two ports cannot both have.
std::string DeviceOf(const v1::Port& port) {
  if (port.has_memory()) return absl::StrCat("cable ", port.memory().cable());
  if (port.has_ethdev()) return absl::StrCat("device ", InterfaceName(port));
  return absl::StrCat("interface ", InterfaceName(port), " in ", NamespaceName(port));
}

}  // namespace

Transition::Transition(PortSet& ports, const v1::GatewayConfig& running,
                       const v1::GatewayConfig& desired, absl::FunctionRef<bool()> given_up)
    : ports_(ports),
      running_(running),
      desired_(desired),
      given_up_(given_up),
      plan_(DiffPorts(running, desired)) {}

absl::Status Transition::Run() {
  const absl::Status status = Try();
  if (!status.ok()) Undo();
  return status;
}

absl::Status Transition::Try() {
  const std::set<std::string> in_the_way = PortsInTheWay();
  std::set<std::string> blocked_devices;
  for (const std::string& name : in_the_way) {
    blocked_devices.insert(DeviceOf(ports_.record(name).config()));
  }
  std::vector<std::string> open_late = plan_.recreate;
  for (const std::string& name : plan_.add) {
    if (blocked_devices.contains(DeviceOf(Desired(name)))) {
      open_late.push_back(name);
    } else if (absl::Status status = Open(name); !status.ok()) {
      return status;
    }
  }
  for (const std::string& name : open_late) {
    if (absl::Status status = PortFactory::Check(Desired(name)); !status.ok()) {
      return WithName(status, name);
    }
  }
  for (const std::string& name : plan_.modify) {
    if (absl::Status status = Modify(name); !status.ok()) return status;
  }
  // From here on a way back would cost traffic.
  if (given_up_()) {
    return absl::DeadlineExceededError("the caller waits no longer; nothing was changed");
  }
  if (absl::Status status = MoveQueues(); !status.ok()) return status;
  if (absl::Status status = Exchange({in_the_way.begin(), in_the_way.end()}, open_late);
      !status.ok()) {
    return status;
  }

  for (const std::string& name : opened_) ports_.record(name).set_service(Service::kFull);
  if (absl::Status status = ports_.Publish(desired_); !status.ok()) return status;

  // From here on nothing is refused.
  std::vector<std::string> leaving;
  std::set_difference(plan_.remove.begin(), plan_.remove.end(), in_the_way.begin(),
                      in_the_way.end(), std::back_inserter(leaving));
  ports_.Retire(leaving, desired_, DropReason::kPortRemoved);
  for (const std::string& name : leaving) ports_.Remove(name);
  return absl::OkStatus();
}

absl::Status Transition::Open(const std::string& name) {
  if (absl::Status status = ports_.Add(Desired(name), desired_); !status.ok()) return status;
  opened_.push_back(name);
  undo_.emplace_back([this, name] {
    if (Port* port = ports_.record(name).port(); port != nullptr) port->ForgetMadeDevice();
    ports_.Remove(name);
  });
  return absl::OkStatus();
}

absl::Status Transition::Modify(const std::string& name) {
  PortRecord& record = ports_.record(name);
  const v1::Port before = record.config();
  const DeviceState device_before = record.device();
  if (absl::Status status = record.Modify(Desired(name)); !status.ok()) return status;
  undo_.emplace_back([&record, before, device_before] { record.Restore(before, device_before); });
  return absl::OkStatus();
}

// Of ports that stay.
absl::Status Transition::MoveQueues() {
  std::vector<QueueMove> moves;
  std::vector<QueueMove> back;
  for (const auto& [name, record] : ports_.records()) {
    const bool is_new = std::ranges::find(opened_, name) != opened_.end();
    for (uint32_t queue = 0; !is_new && queue < record->queues().size(); ++queue) {
      const uint32_t worker = record->queues()[queue].place.worker;
      const uint32_t wanted = WorkerOfQueue(desired_, name, queue).value_or(worker);
      if (wanted == worker) continue;
      moves.push_back({name, queue, wanted});
      back.push_back({name, queue, worker});
    }
  }
  if (absl::Status status = ports_.Move(moves, running_); !status.ok()) return status;
  undo_.emplace_back([this, back] {
    const absl::Status status = ports_.Move(back, running_);
    if (!status.ok()) spdlog::error("could not go back: {}", std::string(status.message()));
  });
  return absl::OkStatus();
}

absl::Status Transition::Exchange(const std::vector<std::string>& close,
                                  const std::vector<std::string>& open) {
  ports_.Retire(close, running_, DropReason::kPortRemoved);
  for (const std::string& name : close) {
    auto record = std::make_shared<std::unique_ptr<PortRecord>>(ports_.Remove(name));
    undo_.emplace_back([this, record] {
      PortRecord& old = **record;
      ports_.PutBack(std::move(*record));
      const absl::Status status = ports_.Open(old);
      if (status.ok()) {
        old.set_service(Service::kFull);
      } else {
        old.SetFailure(status);
        spdlog::error("could not go back: {}", std::string(status.message()));
      }
    });
  }
  for (const std::string& name : open) {
    if (absl::Status status = Open(name); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void Transition::Undo() {
  // The new ports may have been given service for a plan that was refused: no plan names them.
  for (const std::string& name : opened_) ports_.record(name).set_service(Service::kNone);
  for (; !undo_.empty(); undo_.pop_back()) undo_.back()();
  if (const absl::Status status = ports_.Publish(running_); !status.ok()) {
    spdlog::error("could not go back: {}", std::string(status.message()));
  }
}

const v1::Port& Transition::Desired(const std::string& name) const {
  return *std::find_if(desired_.ports().begin(), desired_.ports().end(),
                       [&](const v1::Port& port) { return port.name() == name; });
}

std::set<std::string> Transition::PortsInTheWay() const {
  std::set<std::string> wanted;
  for (const std::string& name : plan_.add) wanted.insert(DeviceOf(Desired(name)));
  for (const std::string& name : plan_.recreate) wanted.insert(DeviceOf(Desired(name)));
  std::set<std::string> in_the_way(plan_.recreate.begin(), plan_.recreate.end());
  for (const std::string& name : plan_.remove) {
    if (wanted.contains(DeviceOf(ports_.record(name).config()))) in_the_way.insert(name);
  }
  return in_the_way;
}

}  // namespace wakegate
