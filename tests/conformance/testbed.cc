#include "tests/conformance/testbed.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "dataplane/netdev/namespace_for_test.h"

namespace wakegate::testing {

Testbed::Testbed(const GatewayOptions& options) {
  EnterNewNetworkNamespace();
  gateway_ = std::make_unique<GatewayForTest>(options);
}

Host& Testbed::Add(const std::string& port, std::unique_ptr<Host> host) {
  const std::string config = host->PortConfig();
  return *ports_.emplace(port, Port{config, std::move(host)}).first->second.host;
}

void Testbed::AddWithKernel(const std::string& port, const Kind& kind) {
  if (kind.has_device) {
    Add(port, kind);
    kernel_port_[port] = port;
    return;
  }
  const std::string config = kind.make_host(port, gateway())->PortConfig();
  const std::string far_port = absl::StrCat(port, "-far");
  const std::string tap = absl::StrCat(port, "-tap");
  ports_.emplace(port, Port{config, nullptr});
  ports_.emplace(far_port, Port{config, nullptr});
  Add(tap, TapKind());
  Connect(far_port, tap);
  kernel_port_[port] = tap;
}

void Testbed::PlaceApart(const std::string& a, const std::string& b) {
  settings(a).knobs["worker"] = "0";
  settings(b).knobs["worker"] = "1";
}

void Testbed::Apply() {
  const std::string config = Config();
  const absl::Status status = gateway_->Apply(config);
  ASSERT_TRUE(status.ok()) << status << "\n" << config;
  for (auto& [name, port] : ports_) {
    if (port.host == nullptr || port.attached || !port.settings.configured) continue;
    port.host->Attach();
    port.attached = true;
  }
}

std::unique_ptr<IpStack> Testbed::MakeIpStack(const std::string& port, int number) {
  return ports_.at(kernel_port_.at(port)).host->MakeIpStack(number);
}

std::string Testbed::Config() const {
  std::string config = "ports:\n";
  std::string knobs = "knobs:\n";
  for (const auto& [name, port] : ports_) {
    const PortSettings& settings = port.settings;
    if (!settings.configured) continue;
    absl::StrAppend(&config, "  - {name: ", name,
                    ", promiscuous: true, admin_up: ", settings.admin_up ? "true" : "false",
                    ", mtu: ", settings.mtu, ", ", port.kind_config, "}\n");
    for (const auto& [knob, value] : settings.knobs) {
      absl::StrAppend(&knobs, "  - {knob: ", knob, ", port: ", name, ", value: \"", value, "\"}\n");
    }
  }
  absl::StrAppend(&config, "cross_connects:\n");
  for (const auto& [a, b] : connections_) {
    if (!ports_.at(a).settings.configured || !ports_.at(b).settings.configured) continue;
    absl::StrAppend(&config, "  - {a: ", a, ", b: ", b, "}\n");
  }
  return absl::StrCat(config, knobs);
}

}  // namespace wakegate::testing
