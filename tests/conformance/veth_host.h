// The other end of a veth.
#ifndef TESTS_CONFORMANCE_VETH_HOST_H_
#define TESTS_CONFORMANCE_VETH_HOST_H_

#include <memory>
#include <string>

#include "tests/conformance/device_host.h"
#include "tests/conformance/network_namespace.h"

namespace wakegate::testing {

// In a network namespace of its own, as a container's. Its settings are those of any veth. The
// gateway has its end by a port of a kind that takes any network device.
class VethHost : public DeviceHost {
 public:
  // `port_kind`: "af_packet", "af_xdp". `interface`: the gateway's end.
  VethHost(const std::string& port_kind, const std::string& interface);

  std::string PortConfig() const override;
  void Attach() override;
  void SetLink(bool up) override;
  void SetMtu(uint32_t mtu) override;
  void DeleteDevice() override;
  void MakeDevice() override;
  std::unique_ptr<IpStack> MakeIpStack(int number) override;

 private:
  const std::string port_kind_;
  const std::string interface_;
  NetworkNamespace namespace_;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_VETH_HOST_H_
