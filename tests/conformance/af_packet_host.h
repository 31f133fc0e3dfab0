// The other end of a veth.
#ifndef TESTS_CONFORMANCE_AF_PACKET_HOST_H_
#define TESTS_CONFORMANCE_AF_PACKET_HOST_H_

#include <memory>
#include <string>

#include "tests/conformance/device_host.h"
#include "tests/conformance/network_namespace.h"

namespace wakegate::testing {

// In a network namespace of its own, as a container's. Its settings are those of any veth.
class AfPacketHost : public DeviceHost {
 public:
  // `interface`: the gateway's end.
  explicit AfPacketHost(const std::string& interface);

  std::string PortConfig() const override;
  void Attach() override;
  void SetLink(bool up) override;
  void SetMtu(uint32_t mtu) override;
  void DeleteDevice() override;
  void MakeDevice() override;
  std::unique_ptr<IpStack> MakeIpStack(int number) override;

 private:
  const std::string interface_;
  NetworkNamespace namespace_;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_AF_PACKET_HOST_H_
