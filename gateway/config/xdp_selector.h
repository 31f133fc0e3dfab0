// Which packets an AF_XDP port takes from its device.
#ifndef GATEWAY_CONFIG_XDP_SELECTOR_H_
#define GATEWAY_CONFIG_XDP_SELECTOR_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace wakegate {

// Any one of these, in host byte order.
struct XdpSelector {
  // Of all kinds together.
  static constexpr std::size_t kMaxTerms = 16;

  bool all = false;  // Then the rest is empty.
  std::vector<uint16_t> ether_types;
  std::vector<uint8_t> protocols;  // Of IPv4 and IPv6.
  std::vector<uint16_t> ports;     // Destination ports of TCP and UDP.
};

// As config.proto has it in AfXdpPort.selector; empty means "all". Pure. INVALID_ARGUMENT:
// "\"port=0\" is no term; write ether_type=0x0806, protocol=89 or port=4789".
absl::StatusOr<XdpSelector> ParseXdpSelector(std::string_view text);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_XDP_SELECTOR_H_
