// A host's whole network stack: the kernel's, behind one device.
#ifndef TESTS_CONFORMANCE_IP_STACK_H_
#define TESTS_CONFORMANCE_IP_STACK_H_

#include <netinet/in.h>

#include <cstdint>
#include <string>

#include "dataplane/kernel/file_descriptor.h"
#include "tests/conformance/network_namespace.h"

namespace wakegate::testing {

enum class IpVersion { kIpv4, kIpv6 };

// An address and a port.
struct Endpoint {
  sockaddr_storage address = {};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

// 10.0.0.<number>/24 and fd00::<number>/64 on the device, which is put up. `network` outlives it.
// Any thread.
class IpStack {
 public:
  IpStack(const NetworkNamespace& network, const std::string& device, int number);

  // Where others reach it.
  Endpoint At(IpVersion version, uint16_t port) const;
  // `type`: SOCK_STREAM or SOCK_DGRAM. What it waits for comes within kSocketSeconds or fails.
  FileDescriptor Socket(IpVersion version, int type) const;
  // What the kernel counts, in /proc/net/snmp: Counter("Tcp", "InCsumErrors"); of "Udp6" in snmp6.
  uint64_t Counter(const std::string& protocol, const std::string& name) const;

  static constexpr int kSocketSeconds = 20;

 private:
  const NetworkNamespace& network_;
  const int number_;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_IP_STACK_H_
