// The AF_XDP sockets of a port's queues, over the packet pool's own memory.
#ifndef DATAPLANE_PORTS_AF_XDP_SOCKETS_H_
#define DATAPLANE_PORTS_AF_XDP_SOCKETS_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/ports/af_xdp/buffer_memory.h"
#include "dataplane/ports/af_xdp/rings.h"

namespace wakegate {

struct XdpSocketOptions {
  enum class Copies { kAsDeviceCan, kNever, kAlways };

  std::string interface;  // In the calling thread's network namespace.
  uint32_t queues = 1;
  uint32_t rx_frames = 0;  // Of the fill ring too.
  uint32_t tx_frames = 0;  // Of the completion ring too.
  Copies copies = Copies::kAsDeviceCan;
};

// Control thread. The umem, which is the whole pool, is this port's own; its queues share it.
class XdpSockets {
 public:
  // Waits up to 3 s for queues that the kernel has not let go of since they were used last (EBUSY).
  // Errors say what is missing and what to do.
  static absl::StatusOr<std::unique_ptr<XdpSockets>> Open(const BufferMemory& memory,
                                                          const XdpSocketOptions& options);
  // The kernel touches no buffer after this; where it does not copy, a moment later (the device is
  // stopped by a kernel thread, xp_release_deferred in net/xdp/xsk_buff_pool.c).
  ~XdpSockets();
  XdpSockets(const XdpSockets&) = delete;
  XdpSockets& operator=(const XdpSockets&) = delete;

  XdpRings& rings(uint32_t queue) { return rings_[queue]; }
  // Whether the device itself reads and writes the buffers.
  bool zero_copy() const { return zero_copy_; }
  // Whether packets of several buffers pass.
  bool multi_buffer() const { return multi_buffer_; }

 private:
  XdpSockets() = default;
  absl::Status OpenAll(const BufferMemory& memory, const XdpSocketOptions& options);
  absl::Status OpenQueue(const XdpSocketOptions& options, uint32_t queue);
  int Bind(const XdpSocketOptions& options, uint32_t queue, uint16_t flags);

  std::deque<XdpRings> rings_;  // Their addresses do not change.
  xsk_umem* umem_ = nullptr;
  std::vector<xsk_socket*> sockets_;
  bool zero_copy_ = false;
  bool multi_buffer_ = true;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_SOCKETS_H_
