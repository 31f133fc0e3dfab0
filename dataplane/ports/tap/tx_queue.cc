#include "dataplane/ports/tap/tx_queue.h"

#include <linux/if_tun.h>
#include <rte_cycles.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "dataplane/kernel/error_kind.h"
#include "dataplane/packet/drop.h"
#include "dataplane/packet/virtio_net_header.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::FlushCause;
using ledger::SystemCall;
using ledger::TxCounter;
using ledger::TxLevel;

constexpr std::size_t kHeaderBytes = sizeof(virtio_net_hdr);
// Up to here a packet is copied behind its header, which costs 0 to 15 ns at 64 to 1514 bytes,
// where a writev of the two parts costs 70.
constexpr std::size_t kCopiedBytes = 2048;
// The kernel lacks memory, and says no more than that: wait this long before the next try.
constexpr uint64_t kMemoryRetryMicroseconds = 100;

ssize_t WriteCopied(int fd, const virtio_net_hdr& header, const rte_mbuf& packet) {
  uint8_t buffer[kHeaderBytes + kCopiedBytes];
  std::memcpy(buffer, &header, kHeaderBytes);
  std::memcpy(buffer + kHeaderBytes, rte_pktmbuf_mtod(&packet, const void*), packet.data_len);
  return write(fd, buffer, kHeaderBytes + packet.data_len);
}

ssize_t WriteParts(int fd, virtio_net_hdr& header, const rte_mbuf& packet) {
  iovec parts[IOV_MAX];
  if (packet.nb_segs + 1 > IOV_MAX) {
    errno = EMSGSIZE;
    return -1;
  }
  int count = 0;
  parts[count++] = {.iov_base = &header, .iov_len = kHeaderBytes};
  for (const rte_mbuf* segment = &packet; segment != nullptr; segment = segment->next) {
    parts[count++] = {.iov_base = rte_pktmbuf_mtod(segment, void*), .iov_len = segment->data_len};
  }
  return writev(fd, parts, count);
}

// Whether the header may stand before the packet's bytes: they are nobody else's, and the rest of
// its buffer is free.
bool HasRoomForHeader(const rte_mbuf* packet) {
  return packet->nb_segs == 1 && RTE_MBUF_DIRECT(packet) && rte_mbuf_refcnt_read(packet) == 1 &&
         rte_pktmbuf_headroom(packet) >= kHeaderBytes;
}

// Whether the kernel never refuses a packet for want of room: nobody has set a limit.
bool HasUnlimitedRoom(int fd) {
  int send_buffer_bytes = 0;
  return ioctl(fd, TUNGETSNDBUF, &send_buffer_bytes) == 0 && send_buffer_bytes == INT_MAX;
}

}  // namespace

TapTxQueue::TapTxQueue(FileDescriptor queue, FileDescriptor room, ledger::TxQueueBlock& ledger)
    : queue_(std::move(queue)),
      room_(std::move(room)),
      ledger_(ledger),
      cycles_per_microsecond_(rte_get_tsc_hz() / 1'000'000),
      batchable_(HasUnlimitedRoom(queue_.get())) {}

TapTxQueue::~TapTxQueue() { DropHeld(DropReason::kPortRemoved); }

void TapTxQueue::Send(Batch& in, Tsc now) {
  if (in.empty()) return;
  ledger_.batch_size.Record(in.size());
  ledger_.flushes[FlushCause::kImmediate].Add(1);
  std::span<rte_mbuf*> packets = in.packets();
  // Behind what waits already, the order is kept.
  if (held_count_ == 0) packets = packets.subspan(Transmit(packets, now));
  Hold(packets, now);
  in.Clear();
}

TxResult TapTxQueue::Flush(Tsc now) {
  if (held_count_ == 0) return TxResult::Idle();
  if (now < retry_at_) return TxResult::At(retry_at_);
  ledger_.counters[TxCounter::kRetries].Add(1);
  RemoveHeld(Transmit({held_.data(), held_count_}, now));
  if (held_count_ == 0) {
    ledger_.hold_microseconds.Record((now - held_since_) / cycles_per_microsecond_);
    return TxResult::Idle();
  }
  return retry_at_ > now ? TxResult::At(retry_at_) : TxResult::Blocked();
}

void TapTxQueue::DropHeld(DropReason reason) {
  DropPackets({held_.data(), held_count_}, reason, ledger_);
  RemoveHeld(held_count_);
}

// The worker waits for readiness of any kind, and a tap with packets to receive, which may be
// another worker's, is readable: so wait for room alone, with an epoll instance in between. The
// queue is in it only meanwhile, as otherwise each packet would cost its sender a look. Readiness
// is level-triggered: room that comes first is seen too.
bool TapTxQueue::Arm() {
  epoll_event room = {.events = EPOLLOUT, .data = {}};
  ledger_.system_calls[SystemCall::kEpollCtl].Add(1);
  armed_ = epoll_ctl(room_.get(), EPOLL_CTL_ADD, queue_.get(), &room) == 0;
  return armed_;
}

void TapTxQueue::Disarm() {
  if (!std::exchange(armed_, false)) return;
  ledger_.system_calls[SystemCall::kEpollCtl].Add(1);
  epoll_ctl(room_.get(), EPOLL_CTL_DEL, queue_.get(), nullptr);
}

// Sends or drops packets, from the front, until one finds no room. How many those were: they are at
// the front and freed.
std::size_t TapTxQueue::Transmit(std::span<rte_mbuf*> packets, Tsc now) {
  Outcome outcome;
  if (gone_) outcome.doom = DropReason::kPortDown;
  std::size_t done = 0;
  retry_at_ = 0;
  while (done < packets.size() && !outcome.doom) {
    Errors errors;
    const std::size_t tried = Write(packets.subspan(done), errors);
    const std::size_t finished = Settle(packets.subspan(done, tried), errors, now, outcome);
    done += finished;
    if (finished < tried) break;
  }
  if (outcome.doom) {
    ledger_.drops[*outcome.doom].Add(packets.size() - done);
    done = packets.size();
  }
  ledger_.counters[TxCounter::kPackets].Add(outcome.sent);
  ledger_.counters[TxCounter::kBytes].Add(outcome.bytes);
  rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(done));
  return done;
}

// Writes one packet or more from the front, and says how many. What waits for room goes one by one:
// in a batch, one that finds room would overtake one before it that did not.
std::size_t TapTxQueue::Write(std::span<rte_mbuf* const> packets, Errors& errors) {
  CallRing* const ring = batchable_ && held_count_ == 0 ? CallRing::OfThisThread() : nullptr;
  if (ring != nullptr) {
    const auto head = packets.first(std::min(packets.size(), errors.size()));
    const auto count =
        static_cast<std::size_t>(std::ranges::find_if_not(head, HasRoomForHeader) - head.begin());
    if (count > 1 && WriteSeveral(*ring, head.first(count), errors)) return count;
  }
  errors[0] = WriteOne(*packets.front());
  return 1;
}

// False: the kernel does not do that with a tap, nothing was sent.
bool TapTxQueue::WriteSeveral(CallRing& ring, std::span<rte_mbuf* const> packets, Errors& errors) {
  for (const rte_mbuf* packet : packets) {
    auto* const start = rte_pktmbuf_mtod_offset(packet, uint8_t*, -int{kHeaderBytes});
    const virtio_net_hdr header = MakeVirtioNetHeader(*packet);
    std::memcpy(start, &header, kHeaderBytes);
    ring.PrepareWrite(queue_.get(), {start, kHeaderBytes + packet->data_len});
  }
  ledger_.system_calls[SystemCall::kIoUringEnter].Add(1);
  std::ranges::transform(ring.Submit(), errors.begin(),
                         [](int32_t result) { return result < 0 ? -result : 0; });
  batchable_ = errors[0] != EOPNOTSUPP;
  return batchable_;
}

// 0, or the errno.
int TapTxQueue::WriteOne(const rte_mbuf& packet) {
  virtio_net_hdr header = MakeVirtioNetHeader(packet);
  const bool small = packet.nb_segs == 1 && packet.data_len <= kCopiedBytes;
  const ssize_t written =
      small ? WriteCopied(queue_.get(), header, packet) : WriteParts(queue_.get(), header, packet);
  const int error = written < 0 ? errno : 0;
  ledger_.system_calls[SystemCall::kWrite].Add(1);
  return error;
}

// How many of the packets are done with: they are put before those that are not.
std::size_t TapTxQueue::Settle(std::span<rte_mbuf*> packets, const Errors& errors, Tsc now,
                               Outcome& outcome) {
  std::array<rte_mbuf*, CallRing::kMaxCalls> waiting;
  std::size_t waiting_count = 0;
  std::size_t done = 0;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    rte_mbuf* const packet = packets[i];
    if (errors[i] == 0) {
      ++outcome.sent;
      outcome.bytes += packet->pkt_len;
    } else if (!IsDone(errors[i], now, outcome)) {
      waiting[waiting_count++] = packet;
      continue;
    }
    packets[done++] = packet;
  }
  std::copy_n(waiting.begin(), waiting_count, packets.begin() + done);
  return done;
}

// Of a packet that was not sent: whether it is dropped, and counted so.
bool TapTxQueue::IsDone(int error, Tsc now, Outcome& outcome) {
  const ErrorKind kind = ErrorKindOf(error);
  ledger_.errors[kind].Add(1);
  switch (kind) {
    case ErrorKind::kAgain:
      return false;
    case ErrorKind::kNoBufferSpace:
      retry_at_ = now + kMemoryRetryMicroseconds * cycles_per_microsecond_;
      return false;
    case ErrorKind::kLinkDown:
      outcome.doom = DropReason::kLinkDown;
      break;
    case ErrorKind::kDeviceGone:
      gone_ = true;
      outcome.doom = DropReason::kPortDown;
      break;
    default:
      ledger_.drops[DropReason::kDeviceRefused].Add(1);
      return true;
  }
  ledger_.drops[*outcome.doom].Add(1);
  return true;
}

void TapTxQueue::Hold(std::span<rte_mbuf*> packets, Tsc now) {
  if (packets.empty()) return;
  if (held_count_ == 0) held_since_ = now;
  const std::size_t taken = std::min(packets.size(), kBacklog - held_count_);
  std::copy_n(packets.begin(), taken, held_.begin() + held_count_);
  held_count_ += taken;
  ledger_.levels[TxLevel::kHeld].Set(held_count_);
  DropPackets(packets.subspan(taken), DropReason::kBacklogFull, ledger_);
}

// From the front. They are sent or freed.
void TapTxQueue::RemoveHeld(std::size_t count) {
  std::copy(held_.begin() + count, held_.begin() + held_count_, held_.begin());
  held_count_ -= count;
  ledger_.levels[TxLevel::kHeld].Set(held_count_);
}

}  // namespace wakegate
