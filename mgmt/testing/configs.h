// Configurations for tests.
#ifndef MGMT_TESTING_CONFIGS_H_
#define MGMT_TESTING_CONFIGS_H_

#include <initializer_list>
#include <string>

#include "wakegate/v1/config.pb.h"

namespace wakegate {

// One tap for each name.
inline v1::GatewayConfig TapConfig(std::initializer_list<std::string> names) {
  v1::GatewayConfig config;
  for (const std::string& name : names) {
    v1::Port& port = *config.add_ports();
    port.set_name(name);
    port.mutable_tap();
  }
  return config;
}

}  // namespace wakegate

#endif  // MGMT_TESTING_CONFIGS_H_
