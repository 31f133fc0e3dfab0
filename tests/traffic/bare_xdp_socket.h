// An AF_XDP socket and its memory, with nothing around them.
#ifndef TESTS_TRAFFIC_BARE_XDP_SOCKET_H_
#define TESTS_TRAFFIC_BARE_XDP_SOCKET_H_

#include <xdp/xsk.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace wakegate::testing {

// Of the first queue of a device in the calling thread's network namespace. All that it receives
// comes to this socket: libxdp's own program is attached to the device. One thread.
class BareXdpSocket {
 public:
  static constexpr uint32_t kFrames = 2048;  // That each ring and the memory have.
  static constexpr uint32_t kFrameBytes = 2048;

  // `receives`: all frames are lent to the kernel to begin with; else none, and no program is
  // attached. Errors are the kernel's.
  static absl::StatusOr<std::unique_ptr<BareXdpSocket>> Open(const std::string& interface,
                                                             bool receives);
  ~BareXdpSocket();
  BareXdpSocket(const BareXdpSocket&) = delete;
  BareXdpSocket& operator=(const BareXdpSocket&) = delete;

  int fd() const { return xsk_socket__fd(socket_); }

  // How many packets there were; their frames are lent to the kernel again.
  uint32_t Receive();

  // Has the kernel send the frame so often, at most kFrames, with one system call, as far as it
  // sends so many with one; gives how many frames it has sent since the last call, or -1: an error,
  // in errno.
  int Send(std::string_view frame, uint32_t count);

 private:
  BareXdpSocket() = default;
  absl::Status OpenAll(const std::string& interface, bool receives);

  struct Unmap {
    void operator()(uint8_t* memory) const;
  };
  std::unique_ptr<uint8_t, Unmap> memory_;
  xsk_umem* umem_ = nullptr;
  xsk_socket* socket_ = nullptr;
  xsk_ring_prod fill_ = {};
  xsk_ring_cons rx_ = {};
  xsk_ring_prod tx_ = {};
  xsk_ring_cons completion_ = {};
};

}  // namespace wakegate::testing

#endif  // TESTS_TRAFFIC_BARE_XDP_SOCKET_H_
