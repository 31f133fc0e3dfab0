#include "tests/traffic/bare_xdp_socket.h"

#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <xdp/libxdp.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/kernel/xdp_socket.h"

namespace wakegate::testing {
namespace {

constexpr std::size_t kMemoryBytes = BareXdpSocket::kFrames * BareXdpSocket::kFrameBytes;
constexpr int kMostTries = 300;
constexpr std::chrono::milliseconds kBetweenTries{10};

// No error, but a queue that is full, or a frame that the device did not want.
bool IsNoError(int error) { return error == EAGAIN || error == EBUSY || error == ENOBUFS; }

}  // namespace

void BareXdpSocket::Unmap::operator()(uint8_t* memory) const { munmap(memory, kMemoryBytes); }

absl::StatusOr<std::unique_ptr<BareXdpSocket>> BareXdpSocket::Open(const std::string& interface,
                                                                   bool receives) {
  std::unique_ptr<BareXdpSocket> socket(new BareXdpSocket);
  const absl::Status status = socket->OpenAll(interface, receives);
  if (!status.ok()) return status;
  return socket;
}

BareXdpSocket::~BareXdpSocket() {
  if (socket_ != nullptr) xsk_socket__delete(socket_);
  if (umem_ != nullptr) xsk_umem__delete(umem_);
}

absl::Status BareXdpSocket::OpenAll(const std::string& interface, bool receives) {
  // What they would say goes to the error output.
  libxdp_set_print(nullptr);
  libbpf_set_print(nullptr);
  void* memory = mmap(nullptr, kMemoryBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return KernelError(errno, absl::StrCat("mmap ", kMemoryBytes));
  memory_.reset(static_cast<uint8_t*>(memory));
  xsk_umem_config memory_config = {};
  memory_config.fill_size = kFrames;
  memory_config.comp_size = kFrames;
  memory_config.frame_size = kFrameBytes;
  int error = xsk_umem__create(&umem_, memory, kMemoryBytes, &fill_, &completion_, &memory_config);
  if (error != 0) return KernelError(-error, "lend memory to the kernel");
  xsk_socket_config config = {};
  config.rx_size = kFrames;
  config.tx_size = kFrames;
  if (!receives) config.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD;
  config.bind_flags = XDP_USE_NEED_WAKEUP;
  // The kernel lets go of a queue only a while after its last socket.
  for (int tries = 0; tries < kMostTries; ++tries) {
    error = xsk_socket__create(&socket_, interface.c_str(), 0, umem_, &rx_, &tx_, &config);
    if (error != -EBUSY) break;
    std::this_thread::sleep_for(kBetweenTries);
  }
  if (error != 0) return KernelError(-error, absl::StrCat("bind an AF_XDP socket to ", interface));
  // Without it a call sends 32 packets; before Linux 6.17 it is so in any case.
  const uint32_t budget = kFrames;
  setsockopt(fd(), SOL_XDP, XDP_MAX_TX_SKB_BUDGET, &budget, sizeof(budget));
  uint32_t first = 0;
  if (!receives || xsk_ring_prod__reserve(&fill_, kFrames, &first) == 0) return absl::OkStatus();
  for (uint32_t i = 0; i < kFrames; ++i) {
    *xsk_ring_prod__fill_addr(&fill_, first + i) = uint64_t{i} * kFrameBytes;
  }
  xsk_ring_prod__submit(&fill_, kFrames);
  return absl::OkStatus();
}

uint32_t BareXdpSocket::Receive() {
  uint32_t from = 0;
  uint32_t to = 0;
  const uint32_t count = xsk_ring_cons__peek(&rx_, 64, &from);
  // What came out of the fill ring has room there.
  if (count == 0 || xsk_ring_prod__reserve(&fill_, count, &to) == 0) return 0;
  for (uint32_t i = 0; i < count; ++i) {
    // Where the frame begins, without the kernel's headroom.
    const uint64_t address = xsk_ring_cons__rx_desc(&rx_, from + i)->addr;
    *xsk_ring_prod__fill_addr(&fill_, to + i) = address / kFrameBytes * kFrameBytes;
  }
  xsk_ring_cons__release(&rx_, count);
  xsk_ring_prod__submit(&fill_, count);
  return count;
}

// All descriptors name the same frame: the kernel copies it.
int BareXdpSocket::Send(std::string_view frame, uint32_t count) {
  uint32_t first = 0;
  const uint32_t sent = xsk_ring_cons__peek(&completion_, kFrames, &first);
  xsk_ring_cons__release(&completion_, sent);
  std::copy(frame.begin(), frame.end(), memory_.get());
  if (xsk_ring_prod__reserve(&tx_, count, &first) == count) {
    for (uint32_t i = 0; i < count; ++i) {
      *xsk_ring_prod__tx_desc(&tx_, first + i) = {0, static_cast<uint32_t>(frame.size()), 0};
    }
    xsk_ring_prod__submit(&tx_, count);
  }
  if (sendto(fd(), nullptr, 0, MSG_DONTWAIT, nullptr, 0) < 0 && !IsNoError(errno)) return -1;
  return static_cast<int>(sent);
}

}  // namespace wakegate::testing
