#include "gateway/config/defaults.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "gateway/config/devargs.h"
#include "gateway/knobs/knobs.h"

namespace wakegate {
namespace {

constexpr uint32_t kDefaultQueues = 1;
constexpr uint32_t kDefaultRxRingFrames = 2048;
constexpr uint32_t kDefaultTxRingFrames = 1024;
constexpr uint32_t kDefaultMemoryRingPackets = 1024;
constexpr uint32_t kDefaultDescriptors = 1024;
constexpr uint32_t kDefaultXdpRingFrames = 2048;

void FillAfXdp(const std::string& name, v1::AfXdpPort& af_xdp) {
  if (af_xdp.interface().empty()) af_xdp.set_interface(name);
  if (af_xdp.queues() == 0) af_xdp.set_queues(kDefaultQueues);
  if (af_xdp.mode().empty()) af_xdp.set_mode("auto");
  if (af_xdp.rx_ring_frames() == 0) af_xdp.set_rx_ring_frames(kDefaultXdpRingFrames);
  if (af_xdp.tx_ring_frames() == 0) af_xdp.set_tx_ring_frames(kDefaultXdpRingFrames);
  if (af_xdp.selector().empty()) af_xdp.set_selector("all");
}

void FillPort(v1::Port& port) {
  if (!port.has_admin_up()) port.set_admin_up(true);
  switch (port.kind_case()) {
    case v1::Port::kTap: {
      v1::TapPort& tap = *port.mutable_tap();
      if (tap.interface().empty()) tap.set_interface(port.name());
      if (tap.queues() == 0) tap.set_queues(kDefaultQueues);
      if (!tap.has_persistent()) tap.set_persistent(true);
      break;
    }
    case v1::Port::kAfPacket: {
      v1::AfPacketPort& af_packet = *port.mutable_af_packet();
      if (af_packet.interface().empty()) af_packet.set_interface(port.name());
      if (af_packet.rx_ring_frames() == 0) af_packet.set_rx_ring_frames(kDefaultRxRingFrames);
      if (af_packet.tx_ring_frames() == 0) af_packet.set_tx_ring_frames(kDefaultTxRingFrames);
      break;
    }
    case v1::Port::kMemory: {
      v1::MemoryPort& memory = *port.mutable_memory();
      if (memory.queues() == 0) memory.set_queues(kDefaultQueues);
      if (memory.ring_packets() == 0) memory.set_ring_packets(kDefaultMemoryRingPackets);
      break;
    }
    case v1::Port::kEthdev: {
      v1::EthdevPort& ethdev = *port.mutable_ethdev();
      if (ethdev.queues() == 0) ethdev.set_queues(kDefaultQueues);
      if (ethdev.rx_descriptors() == 0) ethdev.set_rx_descriptors(kDefaultDescriptors);
      if (ethdev.tx_descriptors() == 0) ethdev.set_tx_descriptors(kDefaultDescriptors);
      break;
    }
    case v1::Port::kAfXdp:
      FillAfXdp(port.name(), *port.mutable_af_xdp());
      break;
    case v1::Port::KIND_NOT_SET:
      break;
  }
}

// Of all queues or workers before those of one; within these by port, knob and number. Knobs of
// workers, which have no port, come first.
auto KnobOrder(const v1::KnobSetting& setting) {
  return std::make_tuple(setting.has_queue() || setting.has_worker(), setting.port(),
                         setting.knob(), setting.queue(), setting.worker());
}

// Keeps the settings that change something: those of a port or of all workers that are not the
// default, and those of a queue or a worker that are not what holds without them.
void KeepEffectiveKnobs(v1::GatewayConfig& config) {
  std::vector<v1::KnobSetting> settings(config.knobs().begin(), config.knobs().end());
  std::sort(settings.begin(), settings.end(),
            [](const auto& a, const auto& b) { return KnobOrder(a) < KnobOrder(b); });
  config.clear_knobs();
  for (v1::KnobSetting& setting : settings) {
    // The place has no setting of its own yet: this is what holds without it.
    const std::string without = KnobTextAt(config, setting);
    v1::KnobSetting& kept = *config.add_knobs();
    kept = std::move(setting);
    kept.set_value(KnobTextAt(config, kept));  // Its canonical text.
    if (kept.value() == without) config.mutable_knobs()->RemoveLast();
  }
}

}  // namespace

v1::GatewayConfig WithDefaults(const v1::GatewayConfig& config) {
  v1::GatewayConfig filled = config;
  for (v1::Port& port : *filled.mutable_ports()) FillPort(port);
  std::sort(filled.mutable_ports()->begin(), filled.mutable_ports()->end(),
            [](const v1::Port& a, const v1::Port& b) { return a.name() < b.name(); });
  for (v1::CrossConnect& connection : *filled.mutable_cross_connects()) {
    if (connection.b() < connection.a()) connection.mutable_a()->swap(*connection.mutable_b());
  }
  std::sort(filled.mutable_cross_connects()->begin(), filled.mutable_cross_connects()->end(),
            [](const v1::CrossConnect& a, const v1::CrossConnect& b) { return a.a() < b.a(); });
  KeepEffectiveKnobs(filled);
  return filled;
}

uint32_t QueueCount(const v1::Port& port) {
  if (port.has_tap()) return port.tap().queues();
  if (port.has_memory()) return port.memory().queues();
  if (port.has_ethdev()) return port.ethdev().queues();
  if (port.has_af_xdp()) return port.af_xdp().queues();
  return kDefaultQueues;
}

const char* KindName(const v1::Port& port) {
  switch (port.kind_case()) {
    case v1::Port::kTap:
      return "tap";
    case v1::Port::kAfPacket:
      return "af_packet";
    case v1::Port::kMemory:
      return "memory";
    case v1::Port::kEthdev:
      return "ethdev";
    case v1::Port::kAfXdp:
      return "af_xdp";
    case v1::Port::KIND_NOT_SET:
      break;
  }
  return "";
}

std::string InterfaceName(const v1::Port& port) {
  if (port.has_tap()) return port.tap().interface();
  if (port.has_ethdev()) return DeviceOfDevargs(port.ethdev().devargs());
  if (port.has_af_xdp()) return port.af_xdp().interface();
  return port.af_packet().interface();  // The empty default instance where it is neither.
}

const std::string& NamespaceName(const v1::Port& port) {
  return port.has_af_xdp() ? port.af_xdp().network_namespace() : port.tap().network_namespace();
}

const std::string& MacAddress(const v1::Port& port) { return port.tap().mac_address(); }

}  // namespace wakegate
