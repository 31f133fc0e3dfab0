#include "gateway/config/validate.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gateway/config/defaults.h"
#include "gateway/config/devargs.h"
#include "gateway/config/knob_place.h"
#include "gateway/config/quote.h"
#include "gateway/config/xdp_selector.h"
#include "gateway/knobs/knobs.h"
#include "gateway/ledger/layout.h"

namespace wakegate {
namespace {

static_assert(kMaxPorts + 2 * kMaxQueuePairs <= ledger::kSlotCount * 7 / 8);

constexpr std::size_t kMaxNameBytes = ledger::kPortNameSize - 1;  // IFNAMSIZ - 1.
constexpr uint32_t kMinMtu = 68;                                  // RFC 791's smallest.
constexpr uint32_t kMaxMtu = 65521;  // Linux's largest for an Ethernet tap: 65535 - 14.
constexpr uint32_t kMaxQueues = 16;
constexpr uint32_t kMinRing = 64;
constexpr uint32_t kMaxRing = 65536;
constexpr std::size_t kMaxDevargsBytes = 1024;
constexpr std::size_t kMaxDeviceBytes = 63;  // RTE_DEV_NAME_MAX_LEN - 1.
constexpr uint32_t kMinDescriptors = 32;
constexpr uint32_t kMaxDescriptors = 32768;

// "ports[2].name: <problem>"
absl::Status Invalid(const std::string& path, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", problem));
}

// Where the problem begins with a field's name: "knobs[2].queue: <problem>".
absl::Status Invalid(const std::string& path, const absl::Status& problem) {
  return absl::InvalidArgumentError(absl::StrCat(path, ".", problem.message()));
}

absl::Status CheckCount(const char* path, int count, int most) {
  if (count <= most) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(path, ": ", count, " of them; at most ", most, " fit"));
}

absl::Status CheckLength(const std::string& path, const std::string& name) {
  if (name.empty()) return Invalid(path, "is empty; it may have 1 to 15 characters");
  if (name.size() <= kMaxNameBytes) return absl::OkStatus();
  return Invalid(path, absl::StrCat(Quoted(name), " has ", name.size(), " bytes; it may have 1 to ",
                                    kMaxNameBytes));
}

// Names that are ours: of ports and cables.
absl::Status CheckName(const std::string& path, const std::string& name) {
  absl::Status status = CheckLength(path, name);
  if (!status.ok()) return status;
  for (const char c : name) {
    if (absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.') continue;
    return Invalid(path,
                   absl::StrCat(Quoted(name), " has a ",
                                absl::ascii_isprint(c) ? absl::StrCat("'", std::string(1, c), "'")
                                                       : "character that cannot be shown",
                                "; use letters, digits, '_', '-' and '.'"));
  }
  if (absl::ascii_isalnum(name[0])) return absl::OkStatus();
  return Invalid(path, absl::StrCat(Quoted(name), " begins with '", std::string(1, name[0]),
                                    "'; begin with a letter or digit"));
}

// Names of network devices: what Linux takes (dev_valid_name in net/core/dev.c, and
// sysctl_dev_name_is_allowed), less characters that are not ASCII, and less '%', which
// TUNSETIFF replaces with a number.
absl::Status CheckInterface(const std::string& path, const std::string& name) {
  if (name.empty()) return absl::OkStatus();  // The port's name.
  absl::Status status = CheckLength(path, name);
  if (!status.ok()) return status;
  for (const char c : name) {
    if (absl::ascii_isgraph(c) && c != '/' && c != ':' && c != '%') continue;
    return Invalid(path, absl::StrCat(Quoted(name),
                                      " is no name of a network device: blanks, '/', ':', '%' and "
                                      "characters that are not ASCII are not allowed"));
  }
  if (name != "." && name != ".." && name != "all" && name != "default") return absl::OkStatus();
  return Invalid(path, absl::StrCat(Quoted(name), " is a name that Linux keeps for itself"));
}

// A name under /run/netns or an absolute path; what is there is not looked at.
absl::Status CheckNamespace(const std::string& path, const std::string& place) {
  if (place.empty()) return absl::OkStatus();  // The gateway's own.
  const bool is_path = place[0] == '/';
  // NAME_MAX and PATH_MAX, less the 0 at the end of a path.
  const std::size_t most = is_path ? 4095 : 255;
  if (place.size() > most) {
    return Invalid(path, absl::StrCat("has ", place.size(), " bytes; it may have up to ", most));
  }
  const bool is_sound =
      std::all_of(place.begin(), place.end(), [](unsigned char c) { return c > ' ' && c != 0x7f; });
  const bool is_name = place.find('/') == std::string::npos && place != "." && place != "..";
  if (is_sound && (is_path || is_name)) return absl::OkStatus();
  return Invalid(path,
                 absl::StrCat(Quoted(place), " is no name under /run/netns and no absolute path"));
}

// Six bytes in hexadecimal with colons between them, of one station.
absl::Status CheckMacAddress(const std::string& path, const std::string& address) {
  if (address.empty()) return absl::OkStatus();  // As the device has it.
  bool is_sound = address.size() == 17;
  for (std::size_t i = 0; is_sound && i < address.size(); ++i) {
    is_sound = i % 3 == 2 ? address[i] == ':' : absl::ascii_isxdigit(address[i]) != 0;
  }
  if (!is_sound) {
    return Invalid(
        path, absl::StrCat(Quoted(address), " is no MAC address; write it as 02:00:00:00:00:01"));
  }
  if (address.find_first_not_of("0:") == std::string::npos) {
    return Invalid(path, absl::StrCat(Quoted(address), " is no address that a device can have"));
  }
  if (absl::string_view("13579bBdDfF").find(address[1]) == absl::string_view::npos) {
    return absl::OkStatus();
  }
  return Invalid(path, absl::StrCat(Quoted(address),
                                    " is a multicast address: its first byte is "
                                    "odd"));
}

absl::Status CheckQueues(const std::string& path, uint32_t queues) {
  if (queues <= kMaxQueues) return absl::OkStatus();
  return Invalid(
      path, absl::StrCat(queues, " is too many; use 1 to ", kMaxQueues, ", or 0 for the default"));
}

absl::Status CheckRing(const std::string& path, uint32_t size) {
  if (size == 0) return absl::OkStatus();
  if (std::has_single_bit(size) && size >= kMinRing && size <= kMaxRing) return absl::OkStatus();
  return Invalid(path, absl::StrCat(size, " is not a power of two from ", kMinRing, " to ",
                                    kMaxRing, ", or 0 for the default"));
}

// As far as that can be told without DPDK, which knows the buses and the drivers.
absl::Status CheckDevargs(const std::string& path, const std::string& devargs) {
  if (devargs.size() > kMaxDevargsBytes) {
    return Invalid(
        path, absl::StrCat("has ", devargs.size(), " bytes; it may have 1 to ", kMaxDevargsBytes));
  }
  if (!std::all_of(devargs.begin(), devargs.end(), absl::ascii_isprint)) {
    return Invalid(path, absl::StrCat(Quoted(devargs),
                                      " has a character that is not ASCII or "
                                      "cannot be shown"));
  }
  const std::string device = DeviceOfDevargs(devargs);
  if (device.empty() || device.find_first_of(" =/") != std::string::npos) {
    return Invalid(path, absl::StrCat(Quoted(devargs),
                                      " names no device; begin with it: \"0000:03:00.0\", "
                                      "\"net_memif0,role=client\""));
  }
  if (device.size() <= kMaxDeviceBytes) return absl::OkStatus();
  return Invalid(path, absl::StrCat("device ", Quoted(device), " has ", device.size(),
                                    " bytes; it may have 1 to ", kMaxDeviceBytes));
}

absl::Status CheckDescriptors(const std::string& path, uint32_t descriptors) {
  if (descriptors == 0) return absl::OkStatus();
  if (descriptors >= kMinDescriptors && descriptors <= kMaxDescriptors) return absl::OkStatus();
  return Invalid(path, absl::StrCat(descriptors, " is not from ", kMinDescriptors, " to ",
                                    kMaxDescriptors, ", or 0 for the default"));
}

absl::Status CheckAfXdp(const std::string& path, const v1::AfXdpPort& af_xdp) {
  absl::Status status = CheckInterface(path + ".interface", af_xdp.interface());
  status.Update(CheckNamespace(path + ".network_namespace", af_xdp.network_namespace()));
  status.Update(CheckQueues(path + ".queues", af_xdp.queues()));
  status.Update(CheckRing(path + ".rx_ring_frames", af_xdp.rx_ring_frames()));
  status.Update(CheckRing(path + ".tx_ring_frames", af_xdp.tx_ring_frames()));
  if (!status.ok()) return status;
  constexpr absl::string_view kModes[] = {"", "auto", "zero_copy", "copy", "generic"};
  if (std::find(std::begin(kModes), std::end(kModes), absl::string_view(af_xdp.mode())) ==
      std::end(kModes)) {
    return Invalid(path + ".mode",
                   absl::StrCat(Quoted(af_xdp.mode()), " is not auto, zero_copy, copy or generic"));
  }
  const absl::StatusOr<XdpSelector> selector = ParseXdpSelector(af_xdp.selector());
  if (selector.ok()) return absl::OkStatus();
  return Invalid(path + ".selector", std::string(selector.status().message()));
}

absl::Status CheckKind(const std::string& path, const v1::Port& port) {
  absl::Status status;
  switch (port.kind_case()) {
    case v1::Port::kTap:
      status.Update(CheckInterface(path + ".tap.interface", port.tap().interface()));
      status.Update(CheckQueues(path + ".tap.queues", port.tap().queues()));
      status.Update(
          CheckNamespace(path + ".tap.network_namespace", port.tap().network_namespace()));
      status.Update(CheckMacAddress(path + ".tap.mac_address", port.tap().mac_address()));
      return status;
    case v1::Port::kAfPacket:
      status.Update(CheckInterface(path + ".af_packet.interface", port.af_packet().interface()));
      status.Update(
          CheckRing(path + ".af_packet.rx_ring_frames", port.af_packet().rx_ring_frames()));
      status.Update(
          CheckRing(path + ".af_packet.tx_ring_frames", port.af_packet().tx_ring_frames()));
      return status;
    case v1::Port::kMemory:
      status.Update(CheckName(path + ".memory.cable", port.memory().cable()));
      status.Update(CheckQueues(path + ".memory.queues", port.memory().queues()));
      status.Update(CheckRing(path + ".memory.ring_packets", port.memory().ring_packets()));
      return status;
    case v1::Port::kEthdev:
      status.Update(CheckDevargs(path + ".ethdev.devargs", port.ethdev().devargs()));
      status.Update(CheckQueues(path + ".ethdev.queues", port.ethdev().queues()));
      status.Update(
          CheckDescriptors(path + ".ethdev.rx_descriptors", port.ethdev().rx_descriptors()));
      status.Update(
          CheckDescriptors(path + ".ethdev.tx_descriptors", port.ethdev().tx_descriptors()));
      return status;
    case v1::Port::kAfXdp:
      return CheckAfXdp(path + ".af_xdp", port.af_xdp());
    case v1::Port::KIND_NOT_SET:
      break;
  }
  return Invalid(path,
                 absl::StrCat("port ", Quoted(port.name()),
                              " has no kind; give it tap, af_packet, memory, ethdev or af_xdp"));
}

class Validator {
 public:
  explicit Validator(const v1::GatewayConfig& config) : config_(config) {}

  absl::Status Run();

 private:
  absl::Status CheckPort(int index);
  absl::Status CheckInterfaceIsFree(const std::string& path, const v1::Port& port);
  absl::Status CheckDeviceIsFree(const std::string& path, const v1::Port& port);
  absl::Status CheckCable(const std::string& path, const v1::Port& port);
  absl::Status CheckCrossConnect(int index);
  absl::Status CheckCrossConnectEnd(const std::string& path, const std::string& name, int index);
  absl::Status CheckKnob(int index);
  absl::Status NoSuchPort(const std::string& path, const std::string& name) const;

  const v1::GatewayConfig& config_;
  absl::flat_hash_map<std::string, const v1::Port*> ports_;  // By name.
  // Interface and network namespace to port.
  absl::flat_hash_map<std::pair<std::string, std::string>, std::string> interface_users_;
  absl::flat_hash_map<std::string, std::string> device_users_;  // DPDK's device to port.
  absl::flat_hash_map<std::string, std::vector<const v1::Port*>> cables_;
  absl::flat_hash_map<std::string, int> connected_;  // Port to index of its cross-connect.
  // Knob, port, and number of the queue or worker, or -1 for all of them.
  absl::flat_hash_set<std::tuple<std::string, std::string, int64_t>> settings_;
  int queue_pairs_ = 0;
};

uint32_t QueuesOf(const v1::Port& port) { return std::max<uint32_t>(1, QueueCount(port)); }

absl::Status Validator::CheckPort(int index) {
  const v1::Port& port = config_.ports(index);
  const std::string path = absl::StrCat("ports[", index, "]");
  absl::Status status = CheckName(path + ".name", port.name());
  if (!status.ok()) return status;
  if (!ports_.try_emplace(port.name(), &port).second) {
    return Invalid(path + ".name", absl::StrCat("a second port ", Quoted(port.name())));
  }
  if (port.mtu() != 0 && (port.mtu() < kMinMtu || port.mtu() > kMaxMtu)) {
    return Invalid(path + ".mtu", absl::StrCat(port.mtu(), " is not from ", kMinMtu, " to ",
                                               kMaxMtu, ", or 0 for the device's own"));
  }
  status = CheckKind(path, port);
  if (!status.ok()) return status;
  queue_pairs_ += static_cast<int>(QueuesOf(port));
  if (port.has_memory()) return CheckCable(path, port);
  if (port.has_ethdev()) return CheckDeviceIsFree(path, port);
  return CheckInterfaceIsFree(path, port);
}

absl::Status Validator::CheckDeviceIsFree(const std::string& path, const v1::Port& port) {
  const std::string device = InterfaceName(port);
  const auto [user, is_first] = device_users_.try_emplace(device, port.name());
  if (is_first) return absl::OkStatus();
  return Invalid(path + ".ethdev.devargs",
                 absl::StrCat("device ", Quoted(device), " is used by port ", Quoted(user->second),
                              " already"));
}

absl::Status Validator::CheckInterfaceIsFree(const std::string& path, const v1::Port& port) {
  const std::string named = InterfaceName(port);
  const std::string& interface = named.empty() ? port.name() : named;
  if (named.empty()) {
    const absl::Status status = CheckInterface(path + ".name", interface);
    if (!status.ok()) return status;
  }
  const auto [user, is_first] =
      interface_users_.try_emplace(std::pair(interface, NamespaceName(port)), port.name());
  if (is_first) return absl::OkStatus();
  return Invalid(
      absl::StrCat(path, ".", KindName(port), ".interface"),
      absl::StrCat(Quoted(interface), " is used by port ", Quoted(user->second), " already"));
}

absl::Status Validator::CheckCable(const std::string& path, const v1::Port& port) {
  std::vector<const v1::Port*>& ends = cables_[port.memory().cable()];
  ends.push_back(&port);
  if (ends.size() > 2) {
    return Invalid(path + ".memory.cable",
                   absl::StrCat(Quoted(port.memory().cable()), " has two ends already, ports ",
                                Quoted(ends[0]->name()), " and ", Quoted(ends[1]->name())));
  }
  if (QueuesOf(*ends[0]) == QueuesOf(port)) return absl::OkStatus();
  return Invalid(path + ".memory.queues",
                 absl::StrCat(QueuesOf(port), ", but ", QueuesOf(*ends[0]), " at the other end of ",
                              Quoted(port.memory().cable()), ", port ", Quoted(ends[0]->name()),
                              "; they must be the same"));
}

absl::Status Validator::NoSuchPort(const std::string& path, const std::string& name) const {
  std::vector<std::string> known;
  for (const v1::Port& port : config_.ports()) known.push_back(port.name());
  return Invalid(path, absl::StrCat("no port ", Quoted(name), SuggestName(name, known)));
}

absl::Status Validator::CheckCrossConnectEnd(const std::string& path, const std::string& name,
                                             int index) {
  if (!ports_.contains(name)) return NoSuchPort(path, name);
  const auto [other, is_first] = connected_.try_emplace(name, index);
  if (is_first) return absl::OkStatus();
  if (other->second == index) {
    return Invalid(path, absl::StrCat(Quoted(name), " would be connected to itself"));
  }
  return Invalid(path, absl::StrCat("port ", Quoted(name), " is in cross_connects[", other->second,
                                    "] already; a port is in at most one"));
}

absl::Status Validator::CheckCrossConnect(int index) {
  const v1::CrossConnect& connection = config_.cross_connects(index);
  const std::string path = absl::StrCat("cross_connects[", index, "]");
  const absl::Status status = CheckCrossConnectEnd(path + ".a", connection.a(), index);
  return status.ok() ? CheckCrossConnectEnd(path + ".b", connection.b(), index) : status;
}

absl::Status Validator::CheckKnob(int index) {
  const v1::KnobSetting& setting = config_.knobs(index);
  const std::string path = absl::StrCat("knobs[", index, "]");
  const v1::Knob* knob = FindKnob(setting.knob());
  const absl::Status value = ValidateKnobValue(setting.knob(), setting.value());
  if (!value.ok()) {
    return Invalid(path + (knob == nullptr ? ".knob" : ".value"), std::string(value.message()));
  }
  if (const absl::Status place = CheckKnobPlace(config_, setting); !place.ok()) {
    return Invalid(path, place);
  }
  const bool is_of_one = setting.has_queue() || setting.has_worker();
  const int64_t number = int64_t{setting.queue()} + setting.worker();  // At most one is there.
  if (settings_.emplace(setting.knob(), setting.port(), is_of_one ? number : -1).second) {
    return absl::OkStatus();
  }
  return Invalid(path, absl::StrCat(KnobPlaceName(setting), " is set twice"));
}

absl::Status Validator::Run() {
  absl::Status status;
  status.Update(CheckCount("ports", config_.ports_size(), kMaxPorts));
  status.Update(CheckCount("cross_connects", config_.cross_connects_size(), kMaxCrossConnects));
  status.Update(CheckCount("knobs", config_.knobs_size(), kMaxKnobSettings));
  for (int i = 0; status.ok() && i < config_.ports_size(); ++i) status = CheckPort(i);
  status.Update(CheckCount("queue pairs of all ports", queue_pairs_, kMaxQueuePairs));
  for (int i = 0; status.ok() && i < config_.cross_connects_size(); ++i) {
    status = CheckCrossConnect(i);
  }
  for (int i = 0; status.ok() && i < config_.knobs_size(); ++i) status = CheckKnob(i);
  return status;
}

}  // namespace

absl::Status Validate(const v1::GatewayConfig& config) { return Validator(config).Run(); }

absl::Status ValidateWorkers(const v1::GatewayConfig& config, uint32_t workers) {
  for (int i = 0; i < config.knobs_size(); ++i) {
    const absl::Status status = CheckKnobWorker(config.knobs(i), workers);
    if (!status.ok()) return Invalid(absl::StrCat("knobs[", i, "]"), status);
  }
  return absl::OkStatus();
}

}  // namespace wakegate
