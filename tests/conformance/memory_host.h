// The other end of a memory port's cable.
#ifndef TESTS_CONFORMANCE_MEMORY_HOST_H_
#define TESTS_CONFORMANCE_MEMORY_HOST_H_

#include <memory>
#include <optional>
#include <string>

#include "dataplane/ports/memory/cable.h"
#include "dataplane/testing/gateway_for_test.h"
#include "tests/conformance/host.h"

namespace wakegate::testing {

// Ends before the gateway does.
class MemoryHost : public Host {
 public:
  // What each direction of the cable holds.
  static constexpr uint32_t kRingPackets = 1024;

  // `cable`: the cable's name.
  MemoryHost(const std::string& cable, GatewayForTest& gateway, uint32_t queues = 1)
      : cable_(cable), gateway_(gateway), queues_(queues) {}

  std::string PortConfig() const override;
  void Attach() override;
  int Send(const Bytes& frame) override { return SendOn(0, frame); }
  int SendOn(uint32_t queue, const Bytes& frame);
  std::optional<Bytes> Receive(std::chrono::milliseconds patience) override;
  void SetLink(bool up) override { end_->SetPlugged(up); }
  void SetMtu(uint32_t) override {}
  void DeleteDevice() override;
  void MakeDevice() override {}
  std::unique_ptr<IpStack> MakeIpStack(int) override { return nullptr; }

 private:
  const std::string cable_;
  GatewayForTest& gateway_;
  const uint32_t queues_;
  std::unique_ptr<CableEnd> end_;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_MEMORY_HOST_H_
