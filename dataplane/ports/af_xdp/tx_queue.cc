#include "dataplane/ports/af_xdp/tx_queue.h"

#include <rte_cycles.h>
#include <rte_ether.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "dataplane/kernel/error_kind.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::FlushCause;
using ledger::SystemCall;
using ledger::TxCounter;
using ledger::TxLevel;

// While each turn brings packets, so many of them, or what comes in this time, share a kick. A turn
// that brings none ends the wait, so a packet that comes alone waits for the next turn.
constexpr uint32_t kGatherPackets = 256;
constexpr uint64_t kGatherMicroseconds = 20;
// Kicks of one Flush: a kernel before 6.17 sends 32 packets with each, and one that reports a
// dropped packet ends there.
constexpr uint32_t kMostKicks = 64;
// After so long without progress, a kick that nobody asked for: the flag may be stale, and buffers
// may not come back.
constexpr uint64_t kForceMicroseconds = 1000;
// Between kicks that came to nothing; with the link down there is nobody to wait for.
constexpr uint64_t kFirstRetryMicroseconds = 20;
constexpr uint64_t kLastRetryMicroseconds = 2'000;
constexpr uint64_t kLastRetryLinkDownMicroseconds = 100'000;
// Between looks for buffers that are under way.
constexpr uint64_t kFirstLookMicroseconds = 50;
constexpr uint64_t kLastLookMicroseconds = 100'000;

}  // namespace

AfXdpTxQueue::AfXdpTxQueue(XdpRings& rings, const BufferMemory& memory,
                           const XdpTxSettings& settings, ledger::TxQueueBlock& ledger)
    : rings_(rings),
      memory_(memory),
      ledger_(ledger),
      cycles_per_microsecond_(rte_get_tsc_hz() / 1'000'000),
      ring_(rings, memory, settings) {}

AfXdpTxQueue::~AfXdpTxQueue() {
  DropHeld(DropReason::kPortRemoved);
  ledger_.levels[TxLevel::kLentBuffers].Set(0);
}

void AfXdpTxQueue::Send(Batch& in, Tsc now) {
  if (in.empty()) return;
  ledger_.batch_size.Record(in.size());
  if (held() > 0) {
    ledger_.counters[TxCounter::kKicksMerged].Add(1);
  } else {
    waiting_since_ = now;
  }
  added_ = true;
  uncounted_ = true;
  made_room_ = false;
  for (rte_mbuf* packet : in.packets()) Take(packet, now);
  ring_.Submit();
  in.Clear();
  SetLevels();
}

TxResult AfXdpTxQueue::Flush(Tsc now) {
  const bool added = std::exchange(added_, false);
  if (gone_ || (held() == 0 && ring_.lent() == 0)) return TxResult::Idle();
  Reap();
  Collect(/*error=*/0, now);
  FillRing();
  TxResult result;
  if (held() == 0) {
    result = AwaitCompletions(now);
  } else if (now < retry_at_) {
    result = TxResult::At(retry_at_);
  } else if (added && Gathers(now)) {
    result = TxResult::At(now);
  } else {
    ledger_.flushes[added ? FlushCause::kFull : FlushCause::kImmediate].Add(1);
    result = Push(now);
  }
  SetLevels();
  return result;
}

void AfXdpTxQueue::DropHeld(DropReason reason) {
  DropBacklog(reason);
  ledger_.drops[reason].Add(ring_.GiveUpWaiting());
  ledger_.levels[TxLevel::kHeld].Set(0);
  gone_ = true;
}

void AfXdpTxQueue::AwaitBuffers(std::chrono::steady_clock::time_point end) {
  Reap();
  while (ring_.under_way() > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    Reap();
  }
  ledger_.counters[TxCounter::kBuffersGivenUp].Add(ring_.under_way());
}

void AfXdpTxQueue::Take(rte_mbuf* packet, Tsc now) {
  if (backlog_.full() && !std::exchange(made_room_, true)) MakeRoom(now);
  if (gone_) return Drop(packet, DropReason::kPortDown);
  if (link_down_) return Drop(packet, DropReason::kLinkDown);
  packet = Sendable(packet);
  if (packet == nullptr) return;
  if (backlog_.empty() && ring_.HasRoom(packet->nb_segs)) return ring_.Put(packet);
  if (backlog_.full()) return Drop(packet, DropReason::kBacklogFull);
  backlog_.Push(packet);
}

void AfXdpTxQueue::MakeRoom(Tsc now) {
  Reap();
  FillRing();
  if (now < retry_at_) return;
  ledger_.flushes[FlushCause::kFull].Add(1);
  Push(now);
}

// The packet, or a copy of one that the kernel cannot take as it is: a foreign, shared or indirect
// buffer, or too many of them. Null: it is dropped.
rte_mbuf* AfXdpTxQueue::Sendable(rte_mbuf* packet) {
  if (ring_.CanSend(*packet)) return packet;
  const uint32_t room = memory_.frame_bytes - RTE_PKTMBUF_HEADROOM;
  if (packet->pkt_len < RTE_ETHER_HDR_LEN) {
    Drop(packet, DropReason::kRunt);
    return nullptr;
  }
  if (packet->pkt_len > room * ring_.most_buffers()) {
    Drop(packet, DropReason::kTooLong);
    return nullptr;
  }
  rte_mbuf* copy = rte_pktmbuf_copy(packet, memory_.pool, 0, UINT32_MAX);
  if (copy == nullptr) {
    Drop(packet, DropReason::kNoBuffer);
    return nullptr;
  }
  ledger_.counters[TxCounter::kCopied].Add(1);
  rte_pktmbuf_free(packet);
  return copy;
}

void AfXdpTxQueue::Drop(rte_mbuf* packet, DropReason reason) {
  ledger_.drops[reason].Add(1);
  rte_pktmbuf_free(packet);
}

void AfXdpTxQueue::DropBacklog(DropReason reason) {
  while (!backlog_.empty()) Drop(backlog_.Pop(), reason);
}

void AfXdpTxQueue::FillRing() {
  while (!backlog_.empty() && ring_.HasRoom(backlog_.front().nb_segs)) ring_.Put(backlog_.Pop());
  ring_.Submit();
}

// Whether what waits is left to wait for what the next turn brings.
bool AfXdpTxQueue::Gathers(Tsc now) const {
  return retry_pause_ == 0 && backlog_.empty() && ring_.waiting() < kGatherPackets &&
         now - waiting_since_ < Microseconds(kGatherMicroseconds);
}

// Has the kernel take what is held, until it has all, or gets no further.
TxResult AfXdpTxQueue::Push(Tsc now) {
  for (uint32_t kicks = 0; kicks < kMostKicks; ++kicks) {
    if (!MayKick(now)) return TxResult::At(now);
    Kick(now);
    if (gone_) return TxResult::Idle();
    if (!progress_) return Later(now);
    retry_pause_ = 0;
    link_down_ = false;
    FillRing();
    if (held() == 0) return AwaitCompletions(now);
    taken_some_ = continue_.load(std::memory_order_relaxed) == TxContinue::kOnCompletion;
    if (taken_some_) break;
  }
  return TxResult::At(now);
}

bool AfXdpTxQueue::MayKick(Tsc now) {
  const bool wanted = ring_.WantsKick();
  if (wanted && (!taken_some_ || came_back_)) return true;
  if (now - waiting_since_ < Microseconds(kForceMicroseconds)) {
    const bool was_not_needed = !wanted && std::exchange(uncounted_, false);
    if (was_not_needed) ledger_.counters[TxCounter::kKicksNotNeeded].Add(1);
    return false;
  }
  waiting_since_ = now;
  ledger_.counters[TxCounter::kKicksForced].Add(1);
  return true;
}

void AfXdpTxQueue::Kick(Tsc now) {
  if (retry_pause_ != 0) ledger_.counters[TxCounter::kRetries].Add(1);
  ledger_.system_calls[SystemCall::kSend].Add(1);
  ledger_.counters[TxCounter::kKicksSent].Add(1);
  progress_ = false;
  taken_some_ = false;
  came_back_ = false;
  const int error = ring_.Kick();
  Collect(error, now);
  Reap();
  if (error == 0) return;
  const ErrorKind kind = ErrorKindOf(error);
  ledger_.errors[kind].Add(1);
  if (kind == ErrorKind::kLinkDown) {
    link_down_ = true;
    DropBacklog(DropReason::kLinkDown);
  } else if (kind == ErrorKind::kDeviceGone) {
    DropHeld(DropReason::kPortDown);
  }
}

TxResult AfXdpTxQueue::Later(Tsc now) {
  retry_pause_ = std::clamp(2 * retry_pause_, kFirstRetryMicroseconds,
                            link_down_ ? kLastRetryLinkDownMicroseconds : kLastRetryMicroseconds);
  retry_at_ = now + Microseconds(retry_pause_);
  return TxResult::At(retry_at_);
}

// Nothing waits, but the kernel may have buffers still.
TxResult AfXdpTxQueue::AwaitCompletions(Tsc now) {
  if (ring_.lent() == 0) return TxResult::Idle();
  if (now >= look_at_) {
    look_pause_ = std::clamp(2 * look_pause_, kFirstLookMicroseconds, kLastLookMicroseconds);
    look_at_ = now + Microseconds(look_pause_);
  }
  return TxResult::At(look_at_);
}

// `error`: of the kick just made; 0 where there was none.
void AfXdpTxQueue::Collect(int error, Tsc now) {
  const TakenPackets taken = ring_.CollectTaken(error);
  if (!taken.progress) return;
  progress_ = true;
  ledger_.counters[TxCounter::kPackets].Add(taken.packets);
  ledger_.counters[TxCounter::kBytes].Add(taken.bytes);
  if (taken.dropped > 0) ledger_.drops[DropReason::kDeviceRefused].Add(taken.dropped);
  ledger_.hold_microseconds.Record((now - waiting_since_) / cycles_per_microsecond_);
  waiting_since_ = now;
}

void AfXdpTxQueue::Reap() {
  uint64_t unknown = 0;
  if (ring_.Reap(unknown) > 0) {
    progress_ = true;  // A kernel that tells what it took only at the end of the ring.
    came_back_ = true;
    look_pause_ = 0;
    look_at_ = 0;
  }
  if (unknown > 0) ledger_.errors[ErrorKind::kInvalid].Add(unknown);
}

void AfXdpTxQueue::SetLevels() {
  ledger_.levels[TxLevel::kHeld].Set(held());
  ledger_.levels[TxLevel::kLentBuffers].Set(ring_.lent());
}

}  // namespace wakegate
