// Another DPDK program, in the test's own process.
#ifndef TESTS_CONFORMANCE_MEMIF_HOST_H_
#define TESTS_CONFORMANCE_MEMIF_HOST_H_

#include <memory>
#include <optional>
#include <string>

#include "dataplane/ports/ethdev/fixture_for_test.h"
#include "dataplane/testing/gateway_for_test.h"
#include "gateway/files/temporary_folder.h"
#include "tests/conformance/host.h"

namespace wakegate::testing {

// The gateway has the server of a net_memif, the host its client: a port without a worker. Ends
// before the gateway does.
class MemifHost : public Host {
 public:
  // `port`: the gateway's port.
  MemifHost(const std::string& port, GatewayForTest& gateway);

  std::string PortConfig() const override;
  void Attach() override;
  int Send(const Bytes& frame) override;
  std::optional<Bytes> Receive(std::chrono::milliseconds patience) override;
  void SetLink(bool up) override;
  void SetMtu(uint32_t mtu) override;
  void DeleteDevice() override;
  void MakeDevice() override {}
  std::unique_ptr<IpStack> MakeIpStack(int) override { return nullptr; }

 private:
  // Waits until both ends of the link have a carrier.
  void AwaitCarrier();

  const std::string port_;
  GatewayForTest& gateway_;
  const int number_;  // Of both ends' devices.
  TemporaryFolder folder_{"/dev/shm"};
  std::unique_ptr<EthdevForTest> end_;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_MEMIF_HOST_H_
