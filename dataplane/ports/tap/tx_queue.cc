#include "dataplane/ports/tap/tx_queue.h"

#include <rte_cycles.h>
#include <sys/epoll.h>
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

}  // namespace

TapTxQueue::TapTxQueue(FileDescriptor queue, FileDescriptor room, ledger::TxQueueBlock& ledger)
    : queue_(std::move(queue)),
      room_(std::move(room)),
      ledger_(ledger),
      cycles_per_microsecond_(rte_get_tsc_hz() / 1'000'000) {}

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

// Sends or drops packets from the front until one finds no room. How many those were.
std::size_t TapTxQueue::Transmit(std::span<rte_mbuf*> packets, Tsc now) {
  uint64_t sent = 0;
  uint64_t bytes = 0;
  std::size_t done = 0;
  retry_at_ = 0;
  while (done < packets.size()) {
    const rte_mbuf& packet = *packets[done];
    const int error = gone_ ? EBADFD : Write(packet);
    if (error == 0) {
      ++sent;
      bytes += packet.pkt_len;
      ++done;
      continue;
    }
    const ErrorKind kind = ErrorKindOf(error);
    if (kind == ErrorKind::kAgain) break;
    if (kind == ErrorKind::kNoBufferSpace) {
      retry_at_ = now + kMemoryRetryMicroseconds * cycles_per_microsecond_;
      break;
    }
    done += CountRefused(kind, packets.size() - done);
  }
  ledger_.counters[TxCounter::kPackets].Add(sent);
  ledger_.counters[TxCounter::kBytes].Add(bytes);
  rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(done));
  return done;
}

// Counts the first of `count` packets as dropped, or all of them where they would fare the same.
std::size_t TapTxQueue::CountRefused(ErrorKind kind, std::size_t count) {
  switch (kind) {
    case ErrorKind::kLinkDown:
      ledger_.drops[DropReason::kLinkDown].Add(count);
      return count;
    case ErrorKind::kDeviceGone:
      gone_ = true;
      ledger_.drops[DropReason::kPortDown].Add(count);
      return count;
    default:
      ledger_.drops[DropReason::kDeviceRefused].Add(1);
      return 1;
  }
}

// 0, or the errno, which is counted.
int TapTxQueue::Write(const rte_mbuf& packet) {
  virtio_net_hdr header = MakeVirtioNetHeader(packet);
  const bool small = packet.nb_segs == 1 && packet.data_len <= kCopiedBytes;
  const ssize_t written =
      small ? WriteCopied(queue_.get(), header, packet) : WriteParts(queue_.get(), header, packet);
  const int error = written < 0 ? errno : 0;
  ledger_.system_calls[SystemCall::kWrite].Add(1);
  if (error != 0) ledger_.errors[ErrorKindOf(error)].Add(1);
  return error;
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
