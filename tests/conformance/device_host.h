// A host that sees a network device of the kernel.
#ifndef TESTS_CONFORMANCE_DEVICE_HOST_H_
#define TESTS_CONFORMANCE_DEVICE_HOST_H_

#include <optional>
#include <string>

#include "dataplane/testing/peer_for_test.h"
#include "tests/conformance/host.h"

namespace wakegate::testing {

// Sends and receives through a packet socket.
class DeviceHost : public Host {
 public:
  int Send(const Bytes& frame) override { return socket_->TrySend(frame); }
  std::optional<Bytes> Receive(std::chrono::milliseconds patience) override;

 protected:
  // On a device of the calling thread's network namespace.
  void OpenSocket(const std::string& interface) { socket_.emplace(interface); }

 private:
  std::optional<PeerForTest> socket_;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_DEVICE_HOST_H_
