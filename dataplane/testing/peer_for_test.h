// The other side of the wire: a plain packet socket that sends and receives whole frames.
#ifndef DATAPLANE_TESTING_PEER_FOR_TEST_H_
#define DATAPLANE_TESTING_PEER_FOR_TEST_H_

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/packet/linux_virtio_net.h"
#include "dataplane/testing/frames.h"

namespace wakegate {

using testing::Bytes;

// One thread sends; it or one other receives.
class PeerForTest {
 public:
  struct Frame {
    virtio_net_hdr offload = {};
    Bytes bytes;
  };

  // On a device of the calling thread's network namespace. Sees nothing of what is sent by it.
  explicit PeerForTest(const std::string& interface);

  // `offload`: what is left to the device. The kernel must take it.
  void Send(const Bytes& frame, const virtio_net_hdr& offload = {});
  // 0, or the errno that the kernel refused it with.
  int TrySend(const Bytes& frame, const virtio_net_hdr& offload = {});
  // The next frame, VLAN tags and all, or nothing within the time.
  std::optional<Frame> Receive(std::chrono::milliseconds patience = std::chrono::seconds(2));

  // Gives the socket away.
  FileDescriptor Release() { return std::move(socket_); }

 private:
  FileDescriptor socket_;
};

}  // namespace wakegate

#endif  // DATAPLANE_TESTING_PEER_FOR_TEST_H_
