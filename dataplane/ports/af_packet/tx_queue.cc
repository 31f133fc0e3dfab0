#include "dataplane/ports/af_packet/tx_queue.h"

#include <limits.h>
#include <linux/if_packet.h>
#include <rte_cycles.h>
#include <rte_ether.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "dataplane/kernel/error_kind.h"
#include "dataplane/packet/linux_virtio_net.h"
#include "dataplane/packet/virtio_net_header.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::FlushCause;
using ledger::SystemCall;
using ledger::TxCounter;
using ledger::TxLevel;

// Until a device that had no room is asked again, where the kernel cannot tell when it has.
constexpr uint64_t kRetryMicroseconds = 50;
// See WaitsForRefused.
constexpr uint32_t kPatiencePerWait = 16;
constexpr uint32_t kMostPatience = 4 * kPatiencePerWait;

// 0, or the errno.
int SendLarge(int socket, int interface_index, const rte_mbuf& packet) {
  virtio_net_hdr header = MakeVirtioNetHeader(packet);
  iovec parts[IOV_MAX];
  if (packet.nb_segs + 1 > IOV_MAX) return EMSGSIZE;
  std::size_t count = 0;
  parts[count++] = {.iov_base = &header, .iov_len = sizeof(header)};
  for (const rte_mbuf* segment = &packet; segment != nullptr; segment = segment->next) {
    parts[count++] = {.iov_base = rte_pktmbuf_mtod(segment, void*), .iov_len = segment->data_len};
  }
  // Without the frame's own protocol, virtio_net_hdr_set_proto takes a packet to segment for one
  // without VLAN tags.
  sockaddr_ll to = {};
  to.sll_family = AF_PACKET;
  to.sll_ifindex = interface_index;
  uint16_t copy;
  const void* protocol =
      rte_pktmbuf_read(&packet, offsetof(rte_ether_hdr, ether_type), sizeof(copy), &copy);
  if (protocol == nullptr) return EINVAL;
  std::memcpy(&to.sll_protocol, protocol, sizeof(to.sll_protocol));
  const msghdr message = {.msg_name = &to,
                          .msg_namelen = sizeof(to),
                          .msg_iov = parts,
                          .msg_iovlen = count,
                          .msg_control = nullptr,
                          .msg_controllen = 0,
                          .msg_flags = 0};
  return sendmsg(socket, &message, MSG_DONTWAIT) < 0 ? errno : 0;
}

}  // namespace

AfPacketTxQueue::AfPacketTxQueue(PacketSocket transmit, FileDescriptor large, FileDescriptor room,
                                 int interface_index, ledger::TxQueueBlock& ledger)
    : ring_(std::move(transmit)),
      large_(std::move(large)),
      room_(std::move(room)),
      interface_index_(interface_index),
      ledger_(ledger),
      cycles_per_microsecond_(rte_get_tsc_hz() / 1'000'000),
      patience_(kMostPatience) {}

AfPacketTxQueue::~AfPacketTxQueue() { DropHeld(DropReason::kPortRemoved); }

void AfPacketTxQueue::Send(Batch& in, Tsc now) {
  if (in.empty()) return;
  ledger_.batch_size.Record(in.size());
  if (held() > 0) ledger_.counters[TxCounter::kKicksMerged].Add(1);
  bool may_push = now >= retry_at_;
  for (rte_mbuf* packet : in.packets()) {
    if (backlog_.full() && std::exchange(may_push, false)) {
      ledger_.flushes[FlushCause::kFull].Add(1);
      Push(now);
    }
    if (backlog_.full()) {
      ledger_.drops[DropReason::kBacklogFull].Add(1);
      rte_pktmbuf_free(packet);
      continue;
    }
    backlog_.Push(packet);
    FillRing();
  }
  in.Clear();
  ledger_.levels[TxLevel::kHeld].Set(held());
}

TxResult AfPacketTxQueue::Flush(Tsc now) {
  if (held() == 0) return TxResult::Idle();
  if (now < retry_at_) return TxResult::At(retry_at_);
  ledger_.flushes[FlushCause::kImmediate].Add(1);
  if (stuck_since_ != 0) ledger_.counters[TxCounter::kRetries].Add(1);
  const TxResult result = Push(now);
  ledger_.levels[TxLevel::kHeld].Set(held());
  if (result.state != TxResult::State::kIdle) {
    if (stuck_since_ == 0) stuck_since_ = now;
  } else if (const Tsc since = std::exchange(stuck_since_, 0); since != 0) {
    ledger_.hold_microseconds.Record((now - since) / cycles_per_microsecond_);
  }
  return result;
}

void AfPacketTxQueue::DropHeld(DropReason reason) {
  ledger_.drops[reason].Add(held());
  ring_.TakeBack();
  while (!backlog_.empty()) rte_pktmbuf_free(backlog_.Pop());
  ledger_.levels[TxLevel::kHeld].Set(0);
  stuck_since_ = 0;
}

// An epoll instance in between, since either socket may be the one that lacks room.
bool AfPacketTxQueue::Arm() {
  epoll_event room = {.events = EPOLLOUT, .data = {}};
  ledger_.system_calls[SystemCall::kEpollCtl].Add(1);
  armed_ =
      epoll_ctl(room_.get(), EPOLL_CTL_ADD, ring_first_ ? ring_.fd() : large_.get(), &room) == 0;
  return armed_;
}

void AfPacketTxQueue::Disarm() {
  if (!std::exchange(armed_, false)) return;
  ledger_.system_calls[SystemCall::kEpollCtl].Add(1);
  epoll_ctl(room_.get(), EPOLL_CTL_DEL, ring_first_ ? ring_.fd() : large_.get(), nullptr);
}

// Has the kernel take what is held, until all is taken or there is no room. Each turn takes, drops
// or returns.
TxResult AfPacketTxQueue::Push(Tsc now) {
  while (true) {
    FillRing();
    if (held() == 0) return TxResult::Idle();
    ring_first_ = ring_.waiting() > 0;
    // The device has all frames of the ring, and sends slower than the send buffer says.
    if (!ring_first_ && TxRing::Fits(backlog_.front())) return Later(now);
    const int error = ring_first_ ? SendRing() : SendFront();
    if (error == 0) continue;
    const ErrorKind kind = ErrorKindOf(error);
    ledger_.errors[kind].Add(1);
    switch (kind) {
      case ErrorKind::kAgain:
        return TxResult::Blocked();
      case ErrorKind::kNoBufferSpace:
        if (WaitsForRefused()) return Later(now);
        DropFirst();
        break;
      case ErrorKind::kLinkDown:
        DropHeld(DropReason::kLinkDown);
        break;
      case ErrorKind::kDeviceGone:
        DropHeld(DropReason::kPortDown);
        break;
      default:
        DropFirst();
    }
  }
}

TxResult AfPacketTxQueue::Later(Tsc now) {
  retry_at_ = now + kRetryMicroseconds * cycles_per_microsecond_;
  return TxResult::At(retry_at_);
}

void AfPacketTxQueue::FillRing() {
  while (!backlog_.empty() && TxRing::Fits(backlog_.front()) && ring_.HasRoom()) {
    ring_.Put(backlog_.front());
    rte_pktmbuf_free(backlog_.Pop());
  }
}

// 0, or why the kernel did not take all of the ring.
int AfPacketTxQueue::SendRing() {
  const RingResult result = ring_.Ring();
  CountTaken(result.packets, result.bytes);
  // Without an error all is taken. Were it not, this would be no reason to ring for ever.
  return result.error == 0 && ring_.waiting() > 0 && result.packets == 0 ? ENOBUFS : result.error;
}

// 0, or why the kernel did not take the packet at the front of the backlog.
int AfPacketTxQueue::SendFront() {
  const rte_mbuf& packet = backlog_.front();
  const int error = SendLarge(large_.get(), interface_index_, packet);
  CountTaken(error == 0 ? 1 : 0, error == 0 ? packet.pkt_len : 0);
  if (error == 0) rte_pktmbuf_free(backlog_.Pop());
  return error;
}

// Of one call.
void AfPacketTxQueue::CountTaken(uint64_t packets, uint64_t bytes) {
  ledger_.system_calls[SystemCall::kSend].Add(1);
  ledger_.counters[TxCounter::kKicksSent].Add(1);
  ledger_.counters[TxCounter::kPackets].Add(packets);
  ledger_.counters[TxCounter::kBytes].Add(bytes);
  patience_ = static_cast<uint32_t>(std::min<uint64_t>(patience_ + packets, kMostPatience));
}

// Whether a packet that was refused is tried again, a little later. A queue that is full for a
// moment is worth the wait. A packet that is refused for what it is, by a filter or by a peer with
// a smaller MTU, would hold up all others each time: so each wait is earned by 16 packets that
// were taken.
bool AfPacketTxQueue::WaitsForRefused() {
  if (patience_ < kPatiencePerWait) return false;
  patience_ -= kPatiencePerWait;
  return true;
}

void AfPacketTxQueue::DropFirst() {
  ledger_.drops[DropReason::kDeviceRefused].Add(1);
  if (ring_first_) {
    ring_.DiscardFirst();
  } else {
    rte_pktmbuf_free(backlog_.Pop());
  }
}

}  // namespace wakegate
