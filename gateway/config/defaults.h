// The defaults that config.proto states. Pure.
#ifndef GATEWAY_CONFIG_DEFAULTS_H_
#define GATEWAY_CONFIG_DEFAULTS_H_

#include <cstdint>
#include <string>

#include "wakegate/v1/config.pb.h"

namespace wakegate {

// The same configuration with every default filled in (interface, queues, rings, admin_up, …; not
// mtu, whose 0 means "as the device has it"), ports sorted by name, cross-connects by their first
// end, which is the lesser of the two. Knob settings that change nothing are dropped, and values of
// the others have their canonical text. Idempotent.
// `config` is valid.
v1::GatewayConfig WithDefaults(const v1::GatewayConfig& config);

// Queue pairs of a port that has its defaults.
uint32_t QueueCount(const v1::Port& port);
// "tap", "af_packet", "memory", "ethdev", "af_xdp"; empty where it has none, which Validate
// refuses.
const char* KindName(const v1::Port& port);
// The device of a port that has its defaults: the kernel's name of a network device, DPDK's of an
// ethdev. Empty where it has none.
std::string InterfaceName(const v1::Port& port);
// Where that is made or looked for, as it is configured; empty: the gateway's own namespace.
const std::string& NamespaceName(const v1::Port& port);
// The MAC address that its device is given; empty: the one it has.
const std::string& MacAddress(const v1::Port& port);

}  // namespace wakegate

#endif  // GATEWAY_CONFIG_DEFAULTS_H_
