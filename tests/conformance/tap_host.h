// The host's side of a tap.
#ifndef TESTS_CONFORMANCE_TAP_HOST_H_
#define TESTS_CONFORMANCE_TAP_HOST_H_

#include <memory>
#include <optional>
#include <string>

#include "tests/conformance/device_host.h"
#include "tests/conformance/network_namespace.h"

namespace wakegate::testing {

// The gateway makes the device, in the test's own network namespace.
class TapHost : public DeviceHost {
 public:
  explicit TapHost(const std::string& interface) : interface_(interface) {}

  std::string PortConfig() const override;
  void Attach() override { OpenSocket(interface_); }
  void SetLink(bool up) override;
  void SetMtu(uint32_t) override {}  // The device is the gateway's too.
  void DeleteDevice() override;
  void MakeDevice() override {}  // The gateway does.
  // Takes the device into a namespace of its own.
  std::unique_ptr<IpStack> MakeIpStack(int number) override;

 private:
  const std::string interface_;
  std::optional<NetworkNamespace> namespace_;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_TAP_HOST_H_
