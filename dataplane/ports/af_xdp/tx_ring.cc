#include "dataplane/ports/af_xdp/tx_ring.h"

#include <linux/if_xdp.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>

#include "dataplane/kernel/xdp_socket.h"

namespace wakegate {
namespace {

constexpr uint32_t kReapAtOnce = 64;

// Where the offset within a chunk lies in an address (Documentation/networking/af_xdp.rst).
uint64_t WithOffset(uint64_t address, uint64_t offset) {
  return address | offset << XSK_UNALIGNED_BUF_OFFSET_SHIFT;
}

}  // namespace

XdpTxRing::XdpTxRing(XdpRings& rings, const BufferMemory& memory, const XdpTxSettings& settings)
    : rings_(rings),
      memory_(memory),
      settings_(settings),
      lent_(memory),
      packet_bytes_(rings.tx.size),
      head_(rings.tx.cached_prod),
      taken_(head_) {}

bool XdpTxRing::CanSend(const rte_mbuf& packet) const {
  if (packet.nb_segs > most_buffers()) return false;
  for (const rte_mbuf* buffer = &packet; buffer != nullptr; buffer = buffer->next) {
    if (!memory_.CanLend(*buffer)) return false;
  }
  return true;
}

// The kernel sends nothing that might find no room on the completion ring, and says EAGAIN for ever
// (xsk_cq_reserve_addr_locked): no more is lent than that holds.
bool XdpTxRing::HasRoom(uint32_t buffers) {
  return lent_.count() + buffers <= rings_.completion.size &&
         xsk_prod_nb_free(&rings_.tx, buffers) >= buffers;
}

void XdpTxRing::Put(rte_mbuf* packet) {
  const uint32_t bytes = packet->pkt_len;
  uint32_t position = 0;
  for (rte_mbuf* buffer = packet; buffer != nullptr;) {
    // Each comes back by itself.
    rte_mbuf* next = std::exchange(buffer->next, nullptr);
    buffer->nb_segs = 1;
    xsk_ring_prod__reserve(&rings_.tx, 1, &position);
    assert(position == head_);
    packet_bytes(head_++) = next == nullptr ? bytes : 0;
    *xsk_ring_prod__tx_desc(&rings_.tx, position) = {
        .addr = WithOffset(lent_.Lend(buffer), buffer->data_off),
        .len = buffer->data_len,
        .options = next == nullptr ? 0U : uint32_t{XDP_PKT_CONTD}};
    ++unsubmitted_;
    buffer = next;
  }
  ++waiting_packets_;
}

void XdpTxRing::Submit() {
  if (unsubmitted_ == 0) return;
  xsk_ring_prod__submit(&rings_.tx, std::exchange(unsubmitted_, 0));
}

// The fence: what was submitted is to be seen before the wish is read, or both sides may miss each
// other.
bool XdpTxRing::WantsKick() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return xsk_ring_prod__needs_wakeup(&rings_.tx) != 0;
}

int XdpTxRing::Kick() {
  return sendto(rings_.socket, nullptr, 0, MSG_DONTWAIT, nullptr, 0) < 0 ? errno : 0;
}

// EBUSY, where the kernel copies: it took one more packet, and that the device dropped
// (NET_XMIT_DROP in __xsk_generic_xmit). It may not have said yet that it took it: it moves its
// index only behind packets that were sent, or when it looks for more.
TakenPackets XdpTxRing::CollectTaken(int error) {
  TakenPackets taken;
  const bool dropped_one = error == EBUSY && !settings_.zero_copy;
  uint32_t end = __atomic_load_n(rings_.tx.consumer, __ATOMIC_ACQUIRE);
  if (static_cast<int32_t>(end - taken_) < 0) end = taken_;  // We know of more than it has said.
  if (dropped_one && end == taken_ && taken_ != head_) end = EndOfPacket(taken_);
  taken.progress = end != taken_;
  uint32_t last_bytes = 0;
  for (; taken_ != end; ++taken_) {
    const uint32_t bytes = packet_bytes(taken_);
    if (bytes == 0) continue;
    ++taken.packets;
    taken.bytes += last_bytes = bytes;
  }
  waiting_packets_ -= static_cast<uint32_t>(taken.packets);
  if (dropped_one && taken.packets > 0) {
    --taken.packets;
    taken.bytes -= last_bytes;
    taken.dropped = 1;
  }
  return taken;
}

// Behind the packet that begins there.
uint32_t XdpTxRing::EndOfPacket(uint32_t position) {
  while (position != head_ && packet_bytes(position) == 0) ++position;
  return position == head_ ? position : position + 1;
}

uint32_t XdpTxRing::Reap(uint64_t& unknown) {
  uint32_t reaped = 0;
  rte_mbuf* buffers[kReapAtOnce];
  uint32_t first = 0;
  while (const uint32_t count = xsk_ring_cons__peek(&rings_.completion, kReapAtOnce, &first)) {
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint64_t address = *xsk_ring_cons__comp_addr(&rings_.completion, first + i);
      buffers[known] = lent_.TakeBack(xsk_umem__extract_addr(address));
      if (buffers[known] != nullptr) ++known;
    }
    xsk_ring_cons__release(&rings_.completion, count);
    rte_pktmbuf_free_bulk(buffers, known);
    unknown += count - known;
    reaped += known;
  }
  return reaped;
}

}  // namespace wakegate
