#include "dataplane/ports/af_xdp/rx_queue.h"

#include <rte_ether.h>
#include <rte_prefetch.h>
#include <sys/socket.h>

#include <cassert>
#include <cerrno>
#include <utility>

#include "dataplane/kernel/error_kind.h"
#include "dataplane/kernel/xdp_socket.h"
#include "dataplane/ports/af_xdp/partial_checksum.h"
#include "dataplane/ports/count_look.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::RxCounter;
using ledger::RxLevel;
using ledger::SystemCall;

// Buffers are lent so many at a time.
constexpr uint32_t kRefill = 32;

// A word that is always ready.
constexpr uint32_t kAlways = 1;

}  // namespace

AfXdpRxQueue::AfXdpRxQueue(XdpRings& rings, const BufferMemory& memory,
                           const XdpRxSettings& settings, BusyPoller& busy_poller,
                           ledger::RxQueueBlock& ledger)
    : rings_(rings),
      memory_(memory),
      settings_(settings),
      busy_poller_(busy_poller),
      ledger_(ledger),
      lent_(memory) {
  Refill();
}

AfXdpRxQueue::~AfXdpRxQueue() {
  rte_pktmbuf_free(packet_);
  lent_.FreeAll();
  ledger_.levels[RxLevel::kLentBuffers].Set(0);
}

// Where a packet may not come although one is sent, the queue itself is looked into in each turn:
// while the kernel may lack buffers, where the device may at any moment want to be told of those
// that it has (the flag is the device's to set, and no word of the receive ring tells), and where
// it is for us to have the kernel look.
ReadyWord AfXdpRxQueue::ready_word() const {
  if (short_of_buffers_ || settings_.zero_copy || busy_poller_.on()) return {&kAlways, 1, 0};
  return {rings_.rx.producer, UINT32_MAX, rings_.rx.cached_cons};
}

RxResult AfXdpRxQueue::Receive(Batch& out) {
  Look look;
  uint32_t first = 0;
  const uint32_t count = Peek(out.room(), first);
  for (uint32_t i = 0; i < count; ++i) {
    Take(*xsk_ring_cons__rx_desc(&rings_.rx, first + i), out, look);
  }
  if (count > 0) xsk_ring_cons__release(&rings_.rx, count);
  Refill();
  RxResult result = RxResult::kMore;
  if (IsEmpty(rings_.rx)) {
    // Without a buffer the kernel can receive nothing, and would wake nobody.
    result = lent_.count() == 0 ? RxResult::kRetryLater : RxResult::kDrained;
  }
  CountLook(result, look.packets, look.bytes, ledger_);
  return result;
}

// The fd itself is the readiness, and poll looks at the ring after it has put itself on the list of
// those to be woken (xsk_poll in net/xdp/xsk.c). An error that waits in the socket, which would end
// each poll at once, is taken out: ENETDOWN, when the device is deleted or moved away
// (xsk_notifier), just once.
bool AfXdpRxQueue::Arm() {
  int error = 0;
  socklen_t size = sizeof(error);
  ledger_.system_calls[SystemCall::kOther].Add(1);
  getsockopt(rings_.socket, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) ledger_.errors[ErrorKindOf(error)].Add(1);
  if (error == ENETDOWN) unbound_.store(true, std::memory_order_relaxed);
  if (IsEmpty(rings_.rx)) return true;
  ledger_.counters[RxCounter::kArmRaces].Add(1);
  return false;
}

uint32_t AfXdpRxQueue::Peek(uint32_t most, uint32_t& first) {
  uint32_t count = xsk_ring_cons__peek(&rings_.rx, most, &first);
  if (count > 0 || !busy_poller_.on() || !busy_poller_.Poll()) return count;
  count = xsk_ring_cons__peek(&rings_.rx, most, &first);
  if (count > 0) busy_poller_.Brought(count);
  return count;
}

void AfXdpRxQueue::Take(const xdp_desc& descriptor, Batch& out, Look& look) {
  rte_mbuf* buffer = lent_.TakeBack(xsk_umem__extract_addr(descriptor.addr));
  if (buffer == nullptr) {
    ledger_.errors[ErrorKind::kInvalid].Add(1);
    return;
  }
  const uint64_t offset = xsk_umem__extract_offset(descriptor.addr);
  assert(offset + descriptor.len <= buffer->buf_len);
  buffer->data_off = static_cast<uint16_t>(offset);
  buffer->data_len = static_cast<uint16_t>(descriptor.len);
  rte_prefetch0(rte_pktmbuf_mtod(buffer, const void*));
  if (packet_ == nullptr) {
    packet_ = buffer;
    packet_->pkt_len = descriptor.len;
  } else {
    last_->next = buffer;
    packet_->pkt_len += descriptor.len;
    ++packet_->nb_segs;
  }
  last_ = buffer;
  if ((descriptor.options & XDP_PKT_CONTD) == 0) Finish(out, look);
}

void AfXdpRxQueue::Finish(Batch& out, Look& look) {
  rte_mbuf* packet = std::exchange(packet_, nullptr);
  ++look.packets;
  look.bytes += packet->pkt_len;
  if (packet->pkt_len < RTE_ETHER_HDR_LEN) {
    ledger_.drops[DropReason::kRunt].Add(1);
    rte_pktmbuf_free(packet);
    return;
  }
  if (settings_.partial_checksums) FindPartialChecksum(*packet);
  out.Append(packet);
}

// Few buffers are better than none: where there is no whole bunch, single ones are lent.
void AfXdpRxQueue::Refill() {
  short_of_buffers_ = false;
  while (!short_of_buffers_ && lent_.count() + kRefill <= settings_.buffers) {
    if (LendSome(kRefill)) continue;
    short_of_buffers_ = true;
    for (uint32_t i = 0; i < kRefill && LendSome(1); ++i) continue;
  }
  ledger_.levels[RxLevel::kLentBuffers].Set(lent_.count());
  KickIfWanted();
}

// All or none.
bool AfXdpRxQueue::LendSome(uint32_t count) {
  rte_mbuf* buffers[kRefill];
  uint32_t first = 0;
  if (xsk_prod_nb_free(&rings_.fill, count) < count) return false;
  if (rte_pktmbuf_alloc_bulk(memory_.pool, buffers, count) != 0) return false;
  xsk_ring_prod__reserve(&rings_.fill, count, &first);
  for (uint32_t i = 0; i < count; ++i) {
    *xsk_ring_prod__fill_addr(&rings_.fill, first + i) = lent_.Lend(buffers[i]);
  }
  xsk_ring_prod__submit(&rings_.fill, count);
  return true;
}

// A device that has run out of buffers says so, stops, and does not look by itself
// (Documentation/networking/af_xdp.rst, XDP_USE_NEED_WAKEUP). The fence: the buffers are to be seen
// before the wish is read, or both sides may miss each other.
void AfXdpRxQueue::KickIfWanted() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (xsk_ring_prod__needs_wakeup(&rings_.fill) == 0) return;
  ledger_.system_calls[SystemCall::kReceive].Add(1);
  ledger_.counters[RxCounter::kFillKicks].Add(1);
  if (recvfrom(rings_.socket, nullptr, 0, MSG_DONTWAIT, nullptr, nullptr) < 0 && errno != EAGAIN) {
    ledger_.errors[ErrorKindOf(errno)].Add(1);
  }
}

}  // namespace wakegate
