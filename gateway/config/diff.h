// What has to change to get from one configuration to another. Pure.
#ifndef GATEWAY_CONFIG_DIFF_H_
#define GATEWAY_CONFIG_DIFF_H_

#include <string>
#include <vector>

#include "wakegate/v1/config.pb.h"
#include "wakegate/v1/gateway.pb.h"

namespace wakegate {

// For machines: which ports to close, open and change in place. Ports by name.
struct PortPlan {
  std::vector<std::string> remove;
  std::vector<std::string> add;
  // Closed and opened again, because their kind or something within it changed.
  std::vector<std::string> recreate;
  // Changed in place: admin_up, mtu or promiscuous.
  std::vector<std::string> modify;
};

// Both arguments have their defaults (WithDefaults).
PortPlan DiffPorts(const v1::GatewayConfig& running, const v1::GatewayConfig& desired);

// For people: every difference, ports first, then cross-connects, then knobs; empty where the two
// mean the same. The arguments are valid; defaults are filled in here.
std::vector<v1::Change> Diff(const v1::GatewayConfig& running, const v1::GatewayConfig& desired);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_DIFF_H_
