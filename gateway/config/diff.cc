#include "gateway/config/diff.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/config/defaults.h"
#include "gateway/config/scalar.h"
#include "gateway/knobs/knobs.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/util/message_differencer.h"

namespace wakegate {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;

// A port as it runs and as it is wanted; null where it does not exist.
struct PortPair {
  const v1::Port* running = nullptr;
  const v1::Port* desired = nullptr;
};

std::map<std::string, PortPair> PairPorts(const v1::GatewayConfig& running,
                                          const v1::GatewayConfig& desired) {
  std::map<std::string, PortPair> pairs;
  for (const v1::Port& port : running.ports()) pairs[port.name()].running = &port;
  for (const v1::Port& port : desired.ports()) pairs[port.name()].desired = &port;
  return pairs;
}

bool IsSameKind(const v1::Port& a, const v1::Port& b) {
  v1::Port kind_of_a;
  v1::Port kind_of_b;
  for (const auto& [port, kind] : {std::pair(&a, &kind_of_a), std::pair(&b, &kind_of_b)}) {
    *kind = *port;
    kind->clear_name();
    kind->clear_admin_up();
    kind->clear_mtu();
    kind->clear_promiscuous();
    if (kind->has_tap()) kind->mutable_tap()->clear_mac_address();
  }
  return MessageDifferencer::Equals(kind_of_a, kind_of_b);
}

// Of the fields within a kind: whether a change leaves the port open. As IsSameKind has it.
bool IsLive(const FieldDescriptor& field) {
  return field.full_name() == "wakegate.v1.TapPort.mac_address";
}

const Message* KindMessage(const v1::Port& port) {
  const auto* field = port.GetReflection()->GetOneofFieldDescriptor(
      port, port.GetDescriptor()->FindOneofByName("kind"));
  return field == nullptr ? nullptr : &port.GetReflection()->GetMessage(port, field);
}

std::string ValueText(const Message& message, const FieldDescriptor& field) {
  const bool is_the_devices = field.full_name() == "wakegate.v1.Port.mtu" ||
                              field.full_name() == "wakegate.v1.TapPort.mac_address";
  if (is_the_devices && !message.GetReflection()->HasField(message, &field)) {
    return "as the device has it";
  }
  return ScalarText(message, field);
}

// "tap, interface tap0, queues 1, persistent true, admin_up true": all that is set.
void AppendFields(const Message& message, std::string& text) {
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (field.name() == "name" || !IsScalar(field) ||
        !message.GetReflection()->HasField(message, &field)) {
      continue;
    }
    absl::StrAppend(&text, ", ", field.name(), " ", ScalarText(message, field));
  }
}

std::string Describe(const v1::Port& port) {
  std::string text = KindName(port);
  if (const Message* kind = KindMessage(port)) AppendFields(*kind, text);
  AppendFields(port, text);
  return text;
}

v1::Change MakeChange(v1::Change::Action action, std::string object, std::string old_value,
                      std::string new_value) {
  v1::Change change;
  change.set_action(action);
  change.set_object(std::move(object));
  change.set_old_value(std::move(old_value));
  change.set_new_value(std::move(new_value));
  return change;
}

v1::Change MakeModification(std::string object, std::string field, std::string old_value,
                            std::string new_value, bool recreates_port) {
  v1::Change change = MakeChange(v1::Change::ACTION_MODIFY, std::move(object), std::move(old_value),
                                 std::move(new_value));
  change.set_field(std::move(field));
  change.set_recreates_port(recreates_port);
  return change;
}

// One change for each scalar field whose value differs. Both are of one type.
void DiffFields(const Message& running, const Message& desired, const std::string& object,
                const std::string& prefix, bool recreates_port, std::vector<v1::Change>& changes) {
  for (int i = 0; i < running.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *running.GetDescriptor()->field(i);
    if (!IsScalar(field)) continue;
    std::string old_value = ValueText(running, field);
    std::string new_value = ValueText(desired, field);
    if (old_value == new_value) continue;
    changes.push_back(MakeModification(object, prefix + field.name(), std::move(old_value),
                                       std::move(new_value), recreates_port && !IsLive(field)));
  }
}

void DiffPort(const v1::Port& running, const v1::Port& desired, std::vector<v1::Change>& changes) {
  const std::string object = "port " + running.name();
  DiffFields(running, desired, object, "", /*recreates_port=*/false, changes);
  if (running.kind_case() != desired.kind_case()) {
    changes.push_back(MakeModification(object, "kind", KindName(running), KindName(desired),
                                       /*recreates_port=*/true));
    return;
  }
  const Message* running_kind = KindMessage(running);
  const Message* desired_kind = KindMessage(desired);
  DiffFields(*running_kind, *desired_kind, object, absl::StrCat(KindName(running), "."),
             /*recreates_port=*/true, changes);
}

void DiffCrossConnects(const v1::GatewayConfig& running, const v1::GatewayConfig& desired,
                       std::vector<v1::Change>& changes) {
  using Ends = std::pair<std::string, std::string>;
  std::map<Ends, std::pair<bool, bool>> connections;  // Whether it runs, whether it is wanted.
  for (const auto& c : running.cross_connects()) connections[{c.a(), c.b()}].first = true;
  for (const auto& c : desired.cross_connects()) connections[{c.a(), c.b()}].second = true;
  for (const auto& [ends, there] : connections) {
    if (there.first == there.second) continue;
    changes.push_back(MakeChange(there.second ? v1::Change::ACTION_ADD : v1::Change::ACTION_REMOVE,
                                 absl::StrCat("cross-connect ", ends.first, " - ", ends.second), "",
                                 ""));
  }
}

// Knobs are compared by the values that hold, not by the settings: two ways to say the same are no
// difference.

// What a knob is at on each queue of a port; its default before the port exists.
std::vector<std::string> KnobValues(const v1::GatewayConfig& config, const std::string& knob,
                                    const std::string& port, bool exists, uint32_t queues) {
  std::vector<std::string> values;
  for (uint32_t queue = 0; queue < queues; ++queue) {
    values.push_back(exists ? KnobText(config, knob, port, queue)
                            : FindKnob(knob)->default_value());
  }
  return values;
}

void DiffKnob(const std::string& knob, const std::vector<std::string>& old_values,
              const std::vector<std::string>& new_values, const std::string& port,
              std::vector<v1::Change>& changes) {
  const std::string object = absl::StrCat("knob ", knob, " of port ", port);
  const bool recreates = FindKnob(knob)->effect() == v1::Knob::EFFECT_RECREATES_PORT;
  const auto all_alike = [](const std::vector<std::string>& values) {
    return values == std::vector<std::string>(values.size(), values.front());
  };
  if (all_alike(old_values) && all_alike(new_values)) {
    if (old_values == new_values) return;
    changes.push_back(MakeModification(object, "value", old_values[0], new_values[0], recreates));
    return;
  }
  for (std::size_t queue = 0; queue < new_values.size(); ++queue) {
    if (old_values[queue] == new_values[queue]) continue;
    changes.push_back(MakeModification(absl::StrCat(object, " queue ", queue), "value",
                                       old_values[queue], new_values[queue], recreates));
  }
}

void DiffKnobsOfPorts(const v1::GatewayConfig& running, const v1::GatewayConfig& desired,
                      const std::map<std::string, PortPair>& ports,
                      std::vector<v1::Change>& changes) {
  std::set<std::pair<std::string, std::string>> places;  // Port and knob.
  for (const auto* config : {&running, &desired}) {
    for (const auto& setting : config->knobs()) {
      if (!setting.port().empty()) places.emplace(setting.port(), setting.knob());
    }
  }
  for (const auto& [port, knob] : places) {
    const PortPair& pair = ports.at(port);
    if (pair.desired == nullptr) continue;  // They go with their port.
    const uint32_t queues = QueueCount(*pair.desired);
    DiffKnob(knob, KnobValues(running, knob, port, pair.running != nullptr, queues),
             KnobValues(desired, knob, port, true, queues), port, changes);
  }
}

void DiffKnobOfWorkers(const v1::GatewayConfig& running, const v1::GatewayConfig& desired,
                       const std::string& knob, const std::set<uint32_t>& named,
                       std::vector<v1::Change>& changes) {
  const auto compare = [&](uint32_t worker, const std::string& whom) {
    std::string old_value = WorkerKnobText(running, knob, worker);
    std::string new_value = WorkerKnobText(desired, knob, worker);
    if (old_value == new_value) return;
    changes.push_back(MakeModification(absl::StrCat("knob ", knob, " of ", whom), "value",
                                       std::move(old_value), std::move(new_value),
                                       /*recreates_port=*/false));
  };
  // No worker has this number: what holds for it holds for all that are not named.
  compare(kMaxWorkers, named.empty() ? "all workers" : "all other workers");
  for (const uint32_t worker : named) compare(worker, absl::StrCat("worker ", worker));
}

void DiffKnobsOfWorkers(const v1::GatewayConfig& running, const v1::GatewayConfig& desired,
                        std::vector<v1::Change>& changes) {
  std::map<std::string, std::set<uint32_t>> named;  // Knob to the workers with their own setting.
  for (const auto* config : {&running, &desired}) {
    for (const auto& setting : config->knobs()) {
      if (!setting.port().empty()) continue;
      std::set<uint32_t>& workers = named[setting.knob()];
      if (setting.has_worker()) workers.insert(setting.worker());
    }
  }
  for (const auto& [knob, workers] : named) {
    DiffKnobOfWorkers(running, desired, knob, workers, changes);
  }
}

}  // namespace

PortPlan DiffPorts(const v1::GatewayConfig& running, const v1::GatewayConfig& desired) {
  PortPlan plan;
  for (const auto& [name, pair] : PairPorts(running, desired)) {
    if (pair.desired == nullptr) {
      plan.remove.push_back(name);
    } else if (pair.running == nullptr) {
      plan.add.push_back(name);
    } else if (!IsSameKind(*pair.running, *pair.desired)) {
      plan.recreate.push_back(name);
    } else if (!MessageDifferencer::Equals(*pair.running, *pair.desired)) {
      plan.modify.push_back(name);
    }
  }
  return plan;
}

std::vector<v1::Change> Diff(const v1::GatewayConfig& running, const v1::GatewayConfig& desired) {
  const v1::GatewayConfig from = WithDefaults(running);
  const v1::GatewayConfig to = WithDefaults(desired);
  const std::map<std::string, PortPair> ports = PairPorts(from, to);
  std::vector<v1::Change> changes;
  for (const auto& [name, pair] : ports) {
    if (pair.desired == nullptr) {
      changes.push_back(
          MakeChange(v1::Change::ACTION_REMOVE, "port " + name, Describe(*pair.running), ""));
    } else if (pair.running == nullptr) {
      changes.push_back(
          MakeChange(v1::Change::ACTION_ADD, "port " + name, "", Describe(*pair.desired)));
    } else {
      DiffPort(*pair.running, *pair.desired, changes);
    }
  }
  DiffCrossConnects(from, to, changes);
  DiffKnobsOfPorts(from, to, ports, changes);
  DiffKnobsOfWorkers(from, to, changes);
  return changes;
}

}  // namespace wakegate
