#include "dataplane/ports/af_xdp/sockets.h"

#include <sys/socket.h>
#include <xdp/libxdp.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/kernel/xdp_socket.h"

namespace wakegate {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kPatienceWithBusyQueue{3};
constexpr std::chrono::milliseconds kFirstPause{1};
constexpr std::chrono::milliseconds kLongestPause{50};
// What the kernel charges for a packet that it has copied and not sent, at most: the copy with its
// sk_buff. With so much for each, the send buffer holds no packet back that the ring has room for.
constexpr int kBytesUnderWay = 4096;

const char* HintFor(int error) {
  switch (error) {
    case EINVAL:
      return "it may have fewer queues than the port wants: see ethtool -l";
    case EOPNOTSUPP:
      return "its driver has no zero-copy";
    case EBUSY:
      return "another program has an AF_XDP socket on that queue";
    case EPERM:
      return "needs CAP_NET_RAW";
    default:
      return "";
  }
}

void SetSendBuffer(int socket, uint32_t frames) {
  const int bytes = static_cast<int>(frames) * kBytesUnderWay / 2;
  if (setsockopt(socket, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) == 0) return;
  setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

}  // namespace

absl::StatusOr<std::unique_ptr<XdpSockets>> XdpSockets::Open(const BufferMemory& memory,
                                                             const XdpSocketOptions& options) {
  std::unique_ptr<XdpSockets> sockets(new XdpSockets);
  const absl::Status status = sockets->OpenAll(memory, options);
  if (!status.ok()) return status;
  return sockets;
}

XdpSockets::~XdpSockets() {
  for (xsk_socket* socket : sockets_) xsk_socket__delete(socket);
  if (umem_ != nullptr) xsk_umem__delete(umem_);
}

absl::Status XdpSockets::OpenAll(const BufferMemory& memory, const XdpSocketOptions& options) {
  // Its own lines would go to the error output; the errors say what there is to say.
  libxdp_set_print(nullptr);
  rings_.resize(options.queues);
  const xsk_umem_config config = {.fill_size = options.rx_frames,
                                  .comp_size = options.tx_frames,
                                  .frame_size = memory.frame_bytes,
                                  .frame_headroom = 0,
                                  .flags = XDP_UMEM_UNALIGNED_CHUNK_FLAG};
  if (const int error = xsk_umem__create(&umem_, memory.start, memory.bytes, &rings_[0].fill,
                                         &rings_[0].completion, &config);
      error != 0) {
    umem_ = nullptr;
    return KernelError(-error,
                       absl::StrCat("lend ", memory.bytes >> 20,
                                    " MB of packet buffers to the kernel for ", options.interface),
                       error == -ENOBUFS ? "needs CAP_IPC_LOCK, or as much locked memory: ulimit -l"
                       : error == -EPERM ? "needs CAP_NET_RAW"
                                         : "");
  }
  for (uint32_t queue = 0; queue < options.queues; ++queue) {
    const absl::Status status = OpenQueue(options, queue);
    if (!status.ok()) return status;
  }
  xdp_options result = {};
  socklen_t size = sizeof(result);
  zero_copy_ = getsockopt(rings_[0].socket, SOL_XDP, XDP_OPTIONS, &result, &size) == 0 &&
               (result.flags & XDP_OPTIONS_ZEROCOPY) != 0;
  return absl::OkStatus();
}

absl::Status XdpSockets::OpenQueue(const XdpSocketOptions& options, uint32_t queue) {
  // All queues of the port share the flags of the first one's bind. The kernel may wish to be
  // woken: where it does not, each of our calls would be one too many.
  uint16_t flags = XDP_USE_NEED_WAKEUP | XDP_USE_SG;
  if (options.copies == XdpSocketOptions::Copies::kNever) flags |= XDP_ZEROCOPY;
  if (options.copies == XdpSocketOptions::Copies::kAlways) flags |= XDP_COPY;
  if (!multi_buffer_) flags &= ~XDP_USE_SG;
  int error = Bind(options, queue, flags);
  if (error == EINVAL && queue == 0 && multi_buffer_) {
    multi_buffer_ = false;  // Linux before 6.6.
    flags &= ~XDP_USE_SG;
    error = Bind(options, queue, flags);
  }
  if (error != 0) {
    return KernelError(
        error, absl::StrCat("bind an AF_XDP socket to queue ", queue, " of ", options.interface),
        HintFor(error));
  }
  XdpRings& rings = rings_[queue];
  rings.socket = xsk_socket__fd(sockets_.back());
  SetSendBuffer(rings.socket, options.tx_frames);
  // One call then sends all that is in the ring. Older kernels send 32 packets a call.
  const uint32_t budget = options.tx_frames;
  setsockopt(rings.socket, SOL_XDP, XDP_MAX_TX_SKB_BUDGET, &budget, sizeof(budget));
  return absl::OkStatus();
}

// 0, or the errno.
int XdpSockets::Bind(const XdpSocketOptions& options, uint32_t queue, uint16_t flags) {
  XdpRings& rings = rings_[queue];
  xsk_socket_config config = {};
  config.rx_size = options.rx_frames;
  config.tx_size = options.tx_frames;
  config.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD;
  config.bind_flags = flags;
  const auto end = steady_clock::now() + kPatienceWithBusyQueue;
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    xsk_socket* socket = nullptr;
    const int error =
        xsk_socket__create_shared(&socket, options.interface.c_str(), queue, umem_, &rings.rx,
                                  &rings.tx, &rings.fill, &rings.completion, &config);
    if (error == 0) {
      sockets_.push_back(socket);
      return 0;
    }
    if (error != -EBUSY || steady_clock::now() >= end) return -error;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace wakegate
