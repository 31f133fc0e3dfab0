// The transmit ring of a packet socket: what is in it, in which order, and what the kernel took.
#ifndef DATAPLANE_PORTS_AF_PACKET_TX_RING_H_
#define DATAPLANE_PORTS_AF_PACKET_TX_RING_H_

#include <rte_mbuf.h>

#include <cstdint>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/ports/af_packet/ring.h"
#include "dataplane/ports/af_packet/socket.h"

namespace wakegate {

// What one call of the kernel did.
struct RingResult {
  uint64_t packets = 0;  // That it took.
  uint64_t bytes = 0;
  int error = 0;  // An errno, or 0. It may have taken some before an error.
};

// The kernel sends frames in the order of the ring and stops at the first that is not to be sent
// (tpacket_snd), so the ring is filled without a hole. It looks at the ring within Ring() only: in
// between, what it has not taken is ours to discard or take back. One thread.
class TxRing {
 public:
  // `transmit`: of OpenTransmitSocket.
  explicit TxRing(PacketSocket transmit);

  // Whether the packet can go through the ring at all: it fits, asks for no segmentation, and the
  // kernel will not find it malformed.
  static bool Fits(const rte_mbuf& packet);
  // Whether the next frame is free: neither waits nor is held by the device.
  bool HasRoom() const;
  // Copies a packet that fits into the next frame, which is free.
  void Put(const rte_mbuf& packet);

  // Packets put and neither taken by the kernel nor discarded.
  uint32_t waiting() const { return head_ - first_ - discarded_; }

  // The only place that wakes the kernel: one system call, and it sends what waits.
  RingResult Ring();
  // The kernel will pass over the first packet that waits.
  void DiscardFirst();
  // Takes all back that waits; says how many packets that were.
  uint32_t TakeBack();

  // Writable when the socket's send buffer has room.
  int fd() const { return socket_.get(); }

 private:
  FileDescriptor socket_;
  AfPacketRing ring_;
  uint32_t first_ = 0;      // Position of the first frame that the kernel has not taken.
  uint32_t discarded_ = 0;  // How many frames, from there on, it is to pass over.
  uint32_t head_ = 0;       // Position of the next frame to fill.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_PACKET_TX_RING_H_
