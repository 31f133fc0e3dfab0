#include "dataplane/ports/af_packet/ring.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/kernel_error.h"

namespace wakegate {
namespace {

// The kernel takes a ring's memory in pieces of this size, each contiguous: small enough to be had
// on a machine whose memory is fragmented.
constexpr uint32_t kBlockBytes = 65536;

}  // namespace

void AfPacketRing::Unmap::operator()(uint8_t* memory) const { munmap(memory, bytes); }

absl::StatusOr<AfPacketRing> AfPacketRing::Create(int socket, Direction direction, uint32_t frames,
                                                  const std::string& interface) {
  const std::size_t bytes = std::size_t{frames} * kFrameBytes;
  const bool receive = direction == Direction::kReceive;
  const std::string ring =
      absl::StrCat(receive ? "PACKET_RX_RING" : "PACKET_TX_RING", " of ", frames, " frames (",
                   bytes >> 10, " KiB of kernel memory) on ", interface);
  const std::string hint =
      absl::StrCat("free memory, or set ", receive ? "rx_ring_frames" : "tx_ring_frames", " lower");
  const tpacket_req request = {.tp_block_size = kBlockBytes,
                               .tp_block_nr = static_cast<unsigned>(bytes / kBlockBytes),
                               .tp_frame_size = kFrameBytes,
                               .tp_frame_nr = frames};
  if (setsockopt(socket, SOL_PACKET, static_cast<int>(direction), &request, sizeof(request)) != 0) {
    return KernelError(errno, ring, hint);
  }
  // All pages are mapped at once (packet_mmap): no page fault later.
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, socket, 0);
  if (memory == MAP_FAILED) return KernelError(errno, absl::StrCat("map the ", ring), hint);
  return AfPacketRing(static_cast<uint8_t*>(memory), frames);
}

}  // namespace wakegate
