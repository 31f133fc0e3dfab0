// A ring of frames that the kernel and we share (TPACKET_V2 in
// Documentation/networking/packet_mmap.rst and net/packet/af_packet.c).
#ifndef DATAPLANE_PORTS_AF_PACKET_RING_H_
#define DATAPLANE_PORTS_AF_PACKET_RING_H_

#include <linux/if_packet.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace wakegate {

// Frames are named by positions that count up for ever; position and position + size() are the same
// frame. Who owns a frame, the kernel or we, its status says. One thread at a time.
class AfPacketRing {
 public:
  // Of one frame, the kernel's header included: what Ethernet with an MTU of 1500 needs.
  static constexpr uint32_t kFrameBytes = 2048;

  enum class Direction { kReceive = PACKET_RX_RING, kTransmit = PACKET_TX_RING };

  // `socket`: a packet socket without a ring, of version TPACKET_V2; the ring keeps its memory
  // alive but not the socket. `frames`: a power of two, at least 32. `interface` is for errors.
  static absl::StatusOr<AfPacketRing> Create(int socket, Direction direction, uint32_t frames,
                                             const std::string& interface);

  uint32_t size() const { return mask_ + 1; }

  uint8_t* frame(uint32_t position) const {
    return memory_.get() + std::size_t{position & mask_} * kFrameBytes;
  }
  tpacket2_hdr& header(uint32_t position) const {
    return *reinterpret_cast<tpacket2_hdr*>(frame(position));
  }
  const uint32_t* status_word(uint32_t position) const { return &header(position).tp_status; }

  // Acquire: what the kernel wrote into a frame before it gave it to us is seen after this.
  uint32_t Status(uint32_t position) const {
    return __atomic_load_n(&header(position).tp_status, __ATOMIC_ACQUIRE);
  }
  // Release: the kernel sees a frame that is given to it with all that was written before.
  void SetStatus(uint32_t position, uint32_t status) {
    __atomic_store_n(&header(position).tp_status, status, __ATOMIC_RELEASE);
  }

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(uint8_t* memory) const;
  };

  AfPacketRing(uint8_t* memory, uint32_t frames)
      : memory_(memory, Unmap{std::size_t{frames} * kFrameBytes}), mask_(frames - 1) {}

  std::unique_ptr<uint8_t[], Unmap> memory_;
  uint32_t mask_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_PACKET_RING_H_
