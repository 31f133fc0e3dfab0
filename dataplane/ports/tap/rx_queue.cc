#include "dataplane/ports/tap/rx_queue.h"

#include <fcntl.h>
#include <rte_ether.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "dataplane/kernel/error_kind.h"
#include "dataplane/packet/packet_from_bytes.h"
#include "dataplane/packet/virtio_net_header.h"
#include "dataplane/ports/count_look.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::RxCounter;
using ledger::SystemCall;

constexpr std::size_t kHeaderBytes = sizeof(virtio_net_hdr);

}  // namespace

TapRxQueue::TapRxQueue(FileDescriptor queue, int never_ready_fd, rte_mempool* pool,
                       ledger::RxQueueBlock& ledger)
    : queue_(std::move(queue)),
      never_ready_fd_(never_ready_fd),
      pool_(pool),
      ledger_(ledger),
      buffers_(std::make_unique_for_overwrite<uint8_t[]>(kBuffers * kBufferStride)) {}

TapRxQueue::~TapRxQueue() {
  for (; waiting_ < waiting_end_; ++waiting_) {
    if (read_bytes_[waiting_] == 0) continue;
    ledger_.counters[RxCounter::kPackets].Add(1);
    ledger_.counters[RxCounter::kBytes].Add(read_bytes_[waiting_] - kHeaderBytes);
    ledger_.drops[DropReason::kPortRemoved].Add(1);
  }
}

RxResult TapRxQueue::Receive(Batch& out) {
  Look look;
  const RxResult result = ReceiveBurst(out, look);
  // The read that finds nothing is to be part of the batch, and few others that do.
  if (result == RxResult::kDrained) {
    expected_ = static_cast<uint32_t>(std::min<uint64_t>(look.packets + 1, kBuffers));
  }
  ledger_.system_calls[SystemCall::kRead].Add(look.reads);
  ledger_.system_calls[SystemCall::kIoUringEnter].Add(look.batches);
  CountLook(result, look.packets, look.bytes, ledger_);
  return result;
}

// The fd itself is the readiness, and poll looks at the queue after it has put itself on the list
// of those to be woken (tun_chr_poll in drivers/net/tun.c): the worker's one poll arms and looks
// for all taps, and a look of our own here could only find what that poll finds anyway. What poll
// does not see is a packet that we have read already.
bool TapRxQueue::Arm() { return waiting_ == waiting_end_; }

// Each packet is read into a buffer and copied to mbufs from there. That is as fast as a read into
// the mbuf at 64 bytes (457 against 456 ns), loses 40 ns at 1514, and a packet of 64 KB, which must
// be expected at any time, does not need 33 spare mbufs in a readv (2.6 against 3.5 µs), nor every
// packet a readv of two parts (513 ns). And a packet is out of the kernel only once it is here, so
// that it can wait for a buffer.
RxResult TapRxQueue::ReceiveBurst(Batch& out, Look& look) {
  bool may_have_more = true;
  // What is dropped, or cannot be read, is part of the budget: no flood of it holds the worker.
  for (uint32_t budget = out.room(); budget > 0;) {
    if (waiting_ == waiting_end_) {
      if (!may_have_more || gone_) return RxResult::kDrained;
      may_have_more = Read(budget, look);
    }
    for (; waiting_ < waiting_end_ && budget > 0; ++waiting_, --budget) {
      if (read_bytes_[waiting_] == 0) continue;
      if (!TakeWaiting(out, look)) return RxResult::kRetryLater;
    }
  }
  return may_have_more || waiting_ < waiting_end_ ? RxResult::kMore : RxResult::kDrained;
}

// Reads up to `most` packets. False: the last read found nothing.
bool TapRxQueue::Read(uint32_t most, Look& look) {
  waiting_ = waiting_end_ = 0;
  CallRing* const ring = batchable_ ? CallRing::OfThisThread() : nullptr;
  const uint32_t count = std::min(most, expected_);
  return ring == nullptr || count == 1 ? ReadOne(look) : ReadSeveral(*ring, count, look);
}

bool TapRxQueue::ReadOne(Look& look) {
  ++look.reads;
  const ssize_t bytes = read(queue_.get(), buffer(0), kBufferBytes);
  if (bytes < 0 && !MayReadOn(errno)) return false;
  read_bytes_[waiting_end_++] = static_cast<std::size_t>(std::max<ssize_t>(bytes, 0));
  expected_ = std::max(expected_, 2U);
  return true;
}

// Next time twice as many, where there were enough.
bool TapRxQueue::ReadSeveral(CallRing& ring, uint32_t count, Look& look) {
  for (uint32_t i = 0; i < count; ++i) ring.PrepareRead(queue_.get(), {buffer(i), kBufferBytes});
  ++look.batches;
  bool may_have_more = true;
  bool found_all = true;
  for (const int32_t result : ring.Submit()) {
    may_have_more = result >= 0 || MayReadOn(-result);
    read_bytes_[waiting_end_++] = static_cast<std::size_t>(std::max(result, 0));
    found_all &= result >= 0;
  }
  if (found_all) expected_ = std::max(expected_, std::min(2 * count, kBuffers));
  return may_have_more;
}

// Whether a further read may find a packet after one has failed.
bool TapRxQueue::MayReadOn(int error) {
  if (error == EAGAIN || gone_) return false;
  if (error == EOPNOTSUPP) {  // A kernel whose taps take no RWF_NOWAIT.
    batchable_ = false;
    return true;
  }
  const ErrorKind kind = ErrorKindOf(error);
  ledger_.errors[kind].Add(1);
  // The kernel has thrown away a packet that it cannot describe to us (EINVAL, tun_put_user).
  if (kind != ErrorKind::kDeviceGone) return true;
  // The queue of a deleted device is ready for ever (EPOLLERR). Its descriptor stays in the poll
  // set of a sleeping worker until control removes the port, so let it refer to something silent.
  dup3(never_ready_fd_, queue_.get(), O_CLOEXEC);
  gone_ = true;
  return false;
}

// False: there is no buffer, the packet waits on.
bool TapRxQueue::TakeWaiting(Batch& out, Look& look) {
  const uint8_t* const read = buffer(waiting_);
  const std::size_t bytes = read_bytes_[waiting_];
  const std::span<const uint8_t> frame(read + kHeaderBytes, bytes - kHeaderBytes);
  std::optional<DropReason> reason;
  if (frame.size() < RTE_ETHER_HDR_LEN) {
    reason = DropReason::kRunt;
  } else if (bytes == kBufferBytes) {
    reason = DropReason::kTruncated;
  } else {
    rte_mbuf* packet = PacketFromBytes(frame, pool_);
    if (packet == nullptr) return false;
    virtio_net_hdr header;
    std::memcpy(&header, read, kHeaderBytes);
    if (ApplyVirtioNetHeader(header, *packet)) {
      out.Append(packet);
    } else {
      rte_pktmbuf_free(packet);
      reason = DropReason::kBadOffload;
    }
  }
  if (reason.has_value()) ledger_.drops[*reason].Add(1);
  ++look.packets;
  look.bytes += frame.size();
  return true;
}

}  // namespace wakegate
