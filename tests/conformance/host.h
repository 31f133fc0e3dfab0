// What is at the other end of a port.
#ifndef TESTS_CONFORMANCE_HOST_H_
#define TESTS_CONFORMANCE_HOST_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dataplane/testing/frames.h"
#include "tests/conformance/ip_stack.h"

namespace wakegate::testing {

// How long a test waits for what must come. Much less than the longest sleep of GatewayForTest's
// workers, so that a lost wakeup is noticed; much more than a loaded machine needs.
inline constexpr std::chrono::milliseconds kPatience{6000};

// One thread sends and one other may receive at the same time; all else: the main thread, while
// neither does.
class Host {
 public:
  virtual ~Host() = default;

  // The kind and its settings in the port's configuration: "tap: {interface: a}".
  virtual std::string PortConfig() const = 0;
  // Plugs in, and waits until the host's end of the link is up. The port is open and up. Again
  // after the port, or its device, was away.
  virtual void Attach() = 0;

  // A frame towards the gateway: 0, or the errno.
  virtual int Send(const Bytes& frame) = 0;
  // The next frame from the gateway, as it was on the wire.
  virtual std::optional<Bytes> Receive(std::chrono::milliseconds patience = kPatience) = 0;

  // Puts the host's end of the link down or up.
  virtual void SetLink(bool up) = 0;
  // Of the host's end, where it has one of its own.
  virtual void SetMtu(uint32_t mtu) = 0;

  // Where the port's device is one that others may delete: deletes it, and brings about that there
  // is one again once the gateway has opened the port anew.
  virtual void DeleteDevice() = 0;
  virtual void MakeDevice() = 0;

  // Puts an IP stack at the host's end, with the addresses number `number`. The port is open. Null
  // where there is no kernel at that end.
  virtual std::unique_ptr<IpStack> MakeIpStack(int number) = 0;
};

}  // namespace wakegate::testing

#endif  // TESTS_CONFORMANCE_HOST_H_
