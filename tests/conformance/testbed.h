// A gateway in a network namespace of its own, with a host at the other end of each port.
#ifndef TESTS_CONFORMANCE_TESTBED_H_
#define TESTS_CONFORMANCE_TESTBED_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/testing/gateway_for_test.h"
#include "tests/conformance/host.h"
#include "tests/conformance/kinds.h"

namespace wakegate::testing {

// What Apply makes of a port.
struct PortSettings {
  bool configured = true;
  bool admin_up = true;
  uint32_t mtu = 0;
  std::map<std::string, std::string> knobs = {};  // Values by name, of all queues of the port.
};

// Main thread. It is the gateway's control thread.
class Testbed {
 public:
  explicit Testbed(const GatewayOptions& options = {});

  // Adds a port and its host; the latter plugs in with the first Apply.
  Host& Add(const std::string& port, const Kind& kind) {
    return Add(port, kind.make_host(port, gateway()));
  }
  Host& Add(const std::string& port, std::unique_ptr<Host> host);
  // Adds a port that has an IP stack at the other end. Where its kind has no kernel there, a port
  // of the gateway is at that end, and connected to a tap.
  void AddWithKernel(const std::string& port, const Kind& kind);
  void Connect(const std::string& a, const std::string& b) { connections_.emplace_back(a, b); }

  // Puts each on a worker of its own, of the two that there are: packets are handed over.
  void PlaceApart(const std::string& a, const std::string& b);

  PortSettings& settings(const std::string& port) { return ports_.at(port).settings; }
  // Applies all that was set; it must succeed.
  void Apply();

  GatewayForTest& gateway() { return *gateway_; }
  // Of a port of AddWithKernel, after Apply. Once. `number`: of its addresses.
  std::unique_ptr<IpStack> MakeIpStack(const std::string& port, int number);

 private:
  struct Port {
    std::string kind_config;
    std::unique_ptr<Host> host;  // Null where the other end is a port of the gateway too.
    bool attached = false;
    PortSettings settings = {};
  };
  std::string Config() const;

  std::unique_ptr<GatewayForTest> gateway_;
  std::map<std::string, Port> ports_;  // After the gateway: hosts hold ends of cables.
  std::map<std::string, std::string> kernel_port_;
  std::vector<std::pair<std::string, std::string>> connections_;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_TESTBED_H_
