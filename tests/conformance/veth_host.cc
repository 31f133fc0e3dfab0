#include "tests/conformance/veth_host.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "dataplane/netdev/namespace_for_test.h"
#include "gateway/testing/eventually.h"

namespace wakegate::testing {
namespace {

// The name of the host's end, in its namespace.
constexpr char kHostEnd[] = "eth0";

}  // namespace

VethHost::VethHost(const std::string& port_kind, const std::string& interface)
    : port_kind_(port_kind), interface_(interface) {
  MakeDevice();
}

std::string VethHost::PortConfig() const {
  return absl::StrCat(port_kind_, ": {interface: ", interface_, "}");
}

void VethHost::Attach() {
  const NetworkNamespace::Visit visit(namespace_);
  // Until the kernel has noticed that the gateway's end is up, it drops what is sent.
  const std::string is_up = absl::StrCat("ip link show dev ", kHostEnd, " | grep -q 'state UP'");
  ASSERT_TRUE(Eventually([&] { return std::system(is_up.c_str()) == 0; }));
  OpenSocket(kHostEnd);
}

void VethHost::SetLink(bool up) {
  namespace_.Ip(absl::StrCat("link set dev ", kHostEnd, up ? " up" : " down"));
}

void VethHost::SetMtu(uint32_t mtu) {
  namespace_.Ip(absl::StrCat("link set dev ", kHostEnd, " mtu ", mtu));
}

void VethHost::DeleteDevice() { Ip(absl::StrCat("link del dev ", interface_)); }

void VethHost::MakeDevice() {
  Ip(absl::StrCat("link add name ", interface_, " type veth peer name ", kHostEnd, " netns ",
                  namespace_.path()));
  SetLink(true);
}

std::unique_ptr<IpStack> VethHost::MakeIpStack(int number) {
  return std::make_unique<IpStack>(namespace_, kHostEnd, number);
}

}  // namespace wakegate::testing
