#include "dataplane/ports/memory/tx_queue.h"

#include <rte_cycles.h>

#include <algorithm>

#include "dataplane/packet/drop.h"
#include "dataplane/wakeup/arm_then_look.h"

namespace wakegate {

using ledger::DropReason;
using ledger::FlushCause;
using ledger::TxCounter;
using ledger::TxLevel;

MemoryTxQueue::MemoryTxQueue(MemoryRing& ring, const std::atomic<bool>& peer_plugged,
                             uint32_t backlog_packets, FlushPolicy flush_policy,
                             ledger::TxQueueBlock& ledger)
    : ring_(ring),
      peer_plugged_(peer_plugged),
      backlog_packets_(backlog_packets),
      flush_policy_(flush_policy),
      ledger_(ledger) {
  backlog_.reserve(backlog_packets);
}

void MemoryTxQueue::Send(Batch& in, Tsc now) {
  ledger_.batch_size.Record(in.size());
  if (unrung_ == 0) first_unrung_at_ = now;
  std::span<rte_mbuf*> rest = in.packets();
  if (!peer_plugged_.load(std::memory_order_relaxed)) {
    DropHeld(DropReason::kLinkDown);
    DropPackets(rest, DropReason::kLinkDown, ledger_);
    in.Clear();
    return;
  }
  PutBacklog();
  if (backlog_.empty()) rest = rest.subspan(Put(rest));
  const auto held = rest.first(std::min<size_t>(rest.size(), backlog_packets_ - backlog_.size()));
  backlog_.insert(backlog_.end(), held.begin(), held.end());
  DropPackets(rest.subspan(held.size()), DropReason::kBacklogFull, ledger_);
  ledger_.levels[TxLevel::kHeld].Set(backlog_.size());
  in.Clear();
}

TxResult MemoryTxQueue::Flush(Tsc now) {
  if (!backlog_.empty()) {
    ledger_.counters[TxCounter::kRetries].Add(1);
    PutBacklog();
  }
  if (unrung_ != 0) {
    if (const auto cause = flush_policy_.Decide(unrung_, now)) {
      Ring(*cause, now);
    } else {
      flush_policy_.Waiting();
      ledger_.counters[TxCounter::kKicksMerged].Add(1);
    }
  }
  // A receiver that sleeps beside a full ring must be woken whatever the policy says.
  if (!backlog_.empty()) {
    if (unrung_ != 0) Ring(FlushCause::kFull, now);
    return TxResult::Blocked();
  }
  return unrung_ == 0 ? TxResult::Idle() : TxResult::At(flush_policy_.next_flush());
}

uint32_t MemoryTxQueue::Put(std::span<rte_mbuf* const> packets) {
  // Counted before they are handed over: the other worker may free them at once.
  uint64_t bytes_before = 0;
  for (const rte_mbuf* packet : packets) bytes_before += packet->pkt_len;
  const uint32_t put = ring_.Put(packets);
  for (const rte_mbuf* packet : packets.subspan(put)) bytes_before -= packet->pkt_len;
  ledger_.counters[TxCounter::kPackets].Add(put);
  ledger_.counters[TxCounter::kBytes].Add(bytes_before);
  unrung_ += put;
  return put;
}

void MemoryTxQueue::PutBacklog() {
  if (backlog_.empty()) return;
  backlog_.erase(backlog_.begin(), backlog_.begin() + Put(backlog_));
  ledger_.levels[TxLevel::kHeld].Set(backlog_.size());
}

void MemoryTxQueue::Ring(FlushCause cause, Tsc now) {
  const bool woke = ring_.packets_bell().Ring();
  ledger_.counters[woke ? TxCounter::kKicksSent : TxCounter::kKicksNotNeeded].Add(1);
  if (woke) ledger_.system_calls[ledger::SystemCall::kEventfd].Add(1);
  ledger_.flushes[cause].Add(1);
  ledger_.hold_microseconds.Record((now - first_unrung_at_) * 1'000'000 / rte_get_tsc_hz());
  flush_policy_.Flushed(now);
  unrung_ = 0;
}

void MemoryTxQueue::DropHeld(DropReason reason) {
  DropPackets(backlog_, reason, ledger_);
  backlog_.clear();
  ledger_.levels[TxLevel::kHeld].Set(0);
}

bool MemoryTxQueue::Arm() {
  return ArmThenLook([this] { ring_.room_bell().AboutToSleep(); },
                     [this] { return ring_.HasRoom(); }, [this] { Disarm(); });
}

void MemoryTxQueue::Disarm() {
  if (ring_.room_bell().Awake()) ledger_.system_calls[ledger::SystemCall::kEventfd].Add(1);
}

}  // namespace wakegate
