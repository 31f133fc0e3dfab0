// The transmit ring of an AF_XDP socket: what is in it, what the kernel took, what it gave back.
#ifndef DATAPLANE_PORTS_AF_XDP_TX_RING_H_
#define DATAPLANE_PORTS_AF_XDP_TX_RING_H_

#include <rte_mbuf.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "dataplane/ports/af_xdp/buffer_memory.h"
#include "dataplane/ports/af_xdp/lent_buffers.h"
#include "dataplane/ports/af_xdp/rings.h"

namespace wakegate {

struct XdpTxSettings {
  bool zero_copy = false;
  bool multi_buffer = false;
};

// What the kernel took since it was asked last.
struct TakenPackets {
  uint64_t packets = 0;  // That it sent.
  uint64_t bytes = 0;
  uint64_t dropped = 0;   // That it took and dropped.
  bool progress = false;  // It took something, if only a part of a packet.
};

// A packet waits from Put until the kernel has taken it; its buffers are lent until they come back
// on the completion ring, which may be much later (the destructor of the kernel's sk_buff). One
// thread.
class XdpTxRing {
 public:
  // The most buffers that a packet may have: MAX_SKB_FRAGS + 1 where the kernel copies
  // (xsk_build_skb in net/xdp/xsk.c), at least as many where it does not (xdp_zc_max_segs).
  static constexpr uint32_t kMostBuffers = 18;

  // `rings`, the memory's pool: outlive this.
  XdpTxRing(XdpRings& rings, const BufferMemory& memory, const XdpTxSettings& settings);
  // Frees what is lent, which the kernel does not have any more: the socket is closed.
  ~XdpTxRing() { lent_.FreeAll(); }
  XdpTxRing(const XdpTxRing&) = delete;
  XdpTxRing& operator=(const XdpTxRing&) = delete;

  uint32_t most_buffers() const { return settings_.multi_buffer ? kMostBuffers : 1; }
  // Whether the packet can go as it is. Else a copy can, if it has few enough buffers.
  bool CanSend(const rte_mbuf& packet) const;
  // Whether a packet of so many buffers finds room, in this ring and on its way back.
  bool HasRoom(uint32_t buffers);
  // Takes over a packet that CanSend and for which there is room.
  void Put(rte_mbuf* packet);
  // The kernel may now take what was put.
  void Submit();

  // Packets put and not taken.
  uint32_t waiting() const { return waiting_packets_; }
  // Buffers of packets that wait or are under way.
  uint32_t lent() const { return lent_.count(); }

  // Whether the kernel wants to be asked to send what is submitted.
  bool WantsKick() const;
  // Asks it: one system call. 0, or the errno.
  int Kick();
  // What it took up to now; `error`: of the last Kick, 0 without one.
  TakenPackets CollectTaken(int error);
  // Frees the buffers that have come back; their number. `unknown` grows by those that were not
  // lent.
  uint32_t Reap(uint64_t& unknown);
  // What waits is the caller's to account for from now on, and nothing is put or taken any more.
  // Their number.
  uint32_t GiveUpWaiting() { return std::exchange(waiting_packets_, 0); }
  // Buffers that the kernel has taken and not given back.
  uint32_t under_way() const {
    const uint32_t not_taken = head_ - taken_;
    return lent_.count() > not_taken ? lent_.count() - not_taken : 0;
  }

 private:
  uint32_t& packet_bytes(uint32_t position) { return packet_bytes_[position & rings_.tx.mask]; }
  uint32_t EndOfPacket(uint32_t position);

  XdpRings& rings_;
  const BufferMemory memory_;
  const XdpTxSettings settings_;
  LentBuffers lent_;
  // By position in the ring: the packet's bytes at its last buffer, 0 at those before.
  std::vector<uint32_t> packet_bytes_;
  uint32_t head_ = 0;   // The next position to fill.
  uint32_t taken_ = 0;  // The first that the kernel has not taken.
  uint32_t unsubmitted_ = 0;
  uint32_t waiting_packets_ = 0;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_TX_RING_H_
