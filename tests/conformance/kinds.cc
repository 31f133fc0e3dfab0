#include "tests/conformance/kinds.h"

#include "tests/conformance/af_packet_host.h"
#include "tests/conformance/memory_host.h"
#include "tests/conformance/tap_host.h"

namespace wakegate::testing {
namespace {

const Kind& AfPacketKind() {
  static const Kind kind = {"af_packet", /*has_device=*/true,
                            [](const std::string& port, GatewayForTest&) {
                              return std::make_unique<AfPacketHost>(port);
                            }};
  return kind;
}

}  // namespace

const Kind& MemoryKind() {
  static const Kind kind = {"memory", /*has_device=*/false,
                            [](const std::string& port, GatewayForTest& gateway) {
                              return std::make_unique<MemoryHost>(port, gateway);
                            }};
  return kind;
}

const Kind& TapKind() {
  static const Kind kind = {
      "tap", /*has_device=*/true,
      [](const std::string& port, GatewayForTest&) { return std::make_unique<TapHost>(port); }};
  return kind;
}

std::vector<Kind> AllKinds() { return {MemoryKind(), TapKind(), AfPacketKind()}; }

std::vector<Kind> KindsWithDevice() {
  std::vector<Kind> kinds = AllKinds();
  std::erase_if(kinds, [](const Kind& kind) { return !kind.has_device; });
  return kinds;
}

}  // namespace wakegate::testing
