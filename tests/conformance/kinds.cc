#include "tests/conformance/kinds.h"

#include "tests/conformance/memif_host.h"
#include "tests/conformance/memory_host.h"
#include "tests/conformance/tap_host.h"
#include "tests/conformance/veth_host.h"

namespace wakegate::testing {
namespace {

Kind VethKind(const char* name, bool waits_for_buffers) {
  return {.name = name,
          .has_device = true,
          .waits_for_buffers = waits_for_buffers,
          .make_host = [name](const std::string& port, GatewayForTest&) {
            return std::make_unique<VethHost>(name, port);
          }};
}

const Kind& AfPacketKind() {
  static const Kind kind = VethKind("af_packet", /*waits_for_buffers=*/true);
  return kind;
}

const Kind& AfXdpKind() {
  static const Kind kind = VethKind("af_xdp", /*waits_for_buffers=*/false);
  return kind;
}

const Kind& EthdevKind() {
  static const Kind kind = {.name = "ethdev",
                            .has_device = false,
                            .waits_for_buffers = true,
                            .make_host = [](const std::string& port, GatewayForTest& gateway) {
                              return std::make_unique<MemifHost>(port, gateway);
                            }};
  return kind;
}

}  // namespace

const Kind& MemoryKind() {
  static const Kind kind = {.name = "memory",
                            .has_device = false,
                            .waits_for_buffers = true,
                            .make_host = [](const std::string& port, GatewayForTest& gateway) {
                              return std::make_unique<MemoryHost>(port, gateway);
                            }};
  return kind;
}

const Kind& TapKind() {
  static const Kind kind = {.name = "tap",
                            .has_device = true,
                            .waits_for_buffers = true,
                            .make_host = [](const std::string& port, GatewayForTest&) {
                              return std::make_unique<TapHost>(port);
                            }};
  return kind;
}

std::vector<Kind> AllKinds() { return {MemoryKind(), TapKind(), AfPacketKind(), AfXdpKind()}; }

std::vector<Kind> KindsOnceOpen() {
  std::vector<Kind> kinds = AllKinds();
  kinds.push_back(EthdevKind());
  return kinds;
}

std::vector<Kind> KindsWithDevice() {
  std::vector<Kind> kinds = AllKinds();
  std::erase_if(kinds, [](const Kind& kind) { return !kind.has_device; });
  return kinds;
}

std::vector<Kind> KindsThatWaitForBuffers() {
  std::vector<Kind> kinds = KindsWithDevice();
  std::erase_if(kinds, [](const Kind& kind) { return !kind.waits_for_buffers; });
  return kinds;
}

}  // namespace wakegate::testing
