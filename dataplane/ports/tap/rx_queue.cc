#include "dataplane/ports/tap/rx_queue.h"

#include <fcntl.h>
#include <rte_ether.h>
#include <unistd.h>

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
using ledger::SystemCall;

constexpr std::size_t kHeaderBytes = sizeof(virtio_net_hdr);
// One byte more than any packet needs: read cuts off without a word (tun_chr_read_iter in
// drivers/net/tun.c), so a full buffer means that it may have.
constexpr std::size_t kBufferBytes = kHeaderBytes + kMaxPacketBytes + 1;

}  // namespace

TapRxQueue::TapRxQueue(FileDescriptor queue, int never_ready_fd, rte_mempool* pool,
                       ledger::RxQueueBlock& ledger)
    : queue_(std::move(queue)),
      never_ready_fd_(never_ready_fd),
      pool_(pool),
      ledger_(ledger),
      buffer_(std::make_unique<uint8_t[]>(kBufferBytes)) {}

RxResult TapRxQueue::Receive(Batch& out) {
  Look look;
  const RxResult result = ReceiveBurst(out, look);
  ledger_.system_calls[SystemCall::kRead].Add(look.reads);
  CountLook(result, look.packets, look.bytes, ledger_);
  return result;
}

// The fd itself is the readiness, and poll looks at the queue after it has put itself on the list
// of those to be woken (tun_chr_poll in drivers/net/tun.c): the worker's one poll arms and looks
// for all taps, and a look of our own here could only find what that poll finds anyway. What poll
// does not see is a packet that we have read already.
bool TapRxQueue::Arm() { return waiting_bytes_ == 0; }

// Each packet is read into buffer_ and copied to mbufs from there. That is as fast as a read into
// the mbuf at 64 bytes (457 against 456 ns), loses 40 ns at 1514, and a packet of 64 KB, which must
// be expected at any time, does not need 33 spare mbufs in a readv (2.6 against 3.5 µs), nor every
// packet a readv of two parts (513 ns). And a packet is out of the kernel only once it is here, so
// that it can wait for a buffer.
RxResult TapRxQueue::ReceiveBurst(Batch& out, Look& look) {
  // What is dropped is part of the budget: no flood of it holds the worker.
  for (uint32_t budget = out.room(); budget > 0; --budget) {
    if (waiting_bytes_ == 0) {
      if (gone_) return RxResult::kDrained;
      ++look.reads;
      const ssize_t bytes = read(queue_.get(), buffer_.get(), kBufferBytes);
      if (bytes < 0) {
        if (!MayReadOn(errno)) return RxResult::kDrained;
        continue;
      }
      waiting_bytes_ = static_cast<std::size_t>(bytes);  // The header is always there.
    }
    if (!TakeWaiting(out, look)) return RxResult::kRetryLater;
  }
  return RxResult::kMore;
}

// Whether a further read may find a packet after one has failed.
bool TapRxQueue::MayReadOn(int error) {
  if (error == EAGAIN) return false;
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
  const std::span<const uint8_t> frame(buffer_.get() + kHeaderBytes, waiting_bytes_ - kHeaderBytes);
  std::optional<DropReason> reason;
  if (frame.size() < RTE_ETHER_HDR_LEN) {
    reason = DropReason::kRunt;
  } else if (waiting_bytes_ == kBufferBytes) {
    reason = DropReason::kTruncated;
  } else {
    rte_mbuf* packet = PacketFromBytes(frame, pool_);
    if (packet == nullptr) return false;
    virtio_net_hdr header;
    std::memcpy(&header, buffer_.get(), kHeaderBytes);
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
  waiting_bytes_ = 0;
  return true;
}

}  // namespace wakegate
