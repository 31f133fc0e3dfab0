// All port kinds that must conform: a new kind is one more entry.
#ifndef TESTS_CONFORMANCE_KINDS_H_
#define TESTS_CONFORMANCE_KINDS_H_

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "dataplane/testing/gateway_for_test.h"
#include "tests/conformance/host.h"

namespace wakegate::testing {

struct Kind {
  std::string name;
  // Whether a device of the kernel belongs to the port: it copies its frames from and to it, and
  // somebody may delete it.
  bool has_device;
  // Whether a packet for which the gateway has no buffer waits in the device; else the kernel drops
  // it, and counts it.
  bool waits_for_buffers;
  // What is at the other end of a port of that kind. `port`: its name, and that of its device.
  std::function<std::unique_ptr<Host>(const std::string& port, GatewayForTest&)> make_host;
};

// In test names and messages.
inline std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

const Kind& MemoryKind();
const Kind& TapKind();
// All but ethdev.
std::vector<Kind> AllKinds();
// All: for tests in which a port stays open once it is. The host of an ethdev port is a client of
// net_memif, which does not connect anew once the gateway's end was closed, nor has Rx interrupts:
// no worker sleeps beside it.
std::vector<Kind> KindsOnceOpen();
std::vector<Kind> KindsWithDevice();
// Of those with a device.
std::vector<Kind> KindsThatWaitForBuffers();

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_KINDS_H_
