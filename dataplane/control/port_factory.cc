#include "dataplane/control/port_factory.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "dataplane/ports/af_packet/port.h"
#include "dataplane/ports/af_xdp/port.h"
#include "dataplane/ports/ethdev/port.h"
#include "dataplane/ports/memory/port.h"
#include "dataplane/ports/tap/port.h"

namespace wakegate {

absl::StatusOr<std::unique_ptr<Port>> PortFactory::Open(const v1::Port& config,
                                                        const PortEnvironment& environment) {
  switch (config.kind_case()) {
    case v1::Port::kTap:
      return OpenTapPort(config.tap(), environment);
    case v1::Port::kAfPacket:
      return OpenAfPacketPort(config.af_packet(), environment);
    case v1::Port::kMemory:
      return OpenMemoryPort(config.memory(), environment, cables_);
    case v1::Port::kEthdev:
      return OpenEthdevPort(config.ethdev(), environment);
    case v1::Port::kAfXdp:
      return OpenAfXdpPort(config.af_xdp(), environment);
    case v1::Port::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat("port ", config.name(), " has no kind"));
}

absl::Status PortFactory::Check(const v1::Port& config) {
  switch (config.kind_case()) {
    case v1::Port::kTap:
      return CheckTapPort(config.tap());
    case v1::Port::kAfPacket:
      return CheckAfPacketPort(config.af_packet());
    case v1::Port::kAfXdp:
      return CheckAfXdpPort(config.af_xdp());
    case v1::Port::kEthdev:
      return CheckEthdevPort(config.ethdev());
    case v1::Port::kMemory:
    case v1::Port::KIND_NOT_SET:
      break;
  }
  return absl::OkStatus();
}

}  // namespace wakegate
