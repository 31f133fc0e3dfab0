#include "dataplane/ports/ethdev/rx_queue.h"

#include <rte_epoll.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>

#include <algorithm>
#include <utility>

#include "dataplane/packet/drop.h"
#include "dataplane/ports/count_look.h"
#include "dataplane/ports/ethdev/received.h"
#include "dataplane/wakeup/arm_then_look.h"

namespace wakegate {

using ledger::DropReason;
using ledger::RxCounter;
using ledger::SystemCall;

EthdevRxQueue::EthdevRxQueue(uint16_t device, uint16_t queue, rte_mempool* pool,
                             FileDescriptor epoll, ledger::RxQueueBlock& ledger)
    : device_(device), queue_(queue), pool_(pool), epoll_(std::move(epoll)), ledger_(ledger) {}

EthdevRxQueue::~EthdevRxQueue() { DropStash(DropReason::kPortRemoved); }

RxResult EthdevRxQueue::Receive(Batch& out) {
  Look look;
  RxResult result = RxResult::kDrained;
  if (gate_.Enter()) {
    if (ReceiveInside(out, look)) result = RxResult::kMore;
    gate_.Leave();
  }
  CountLook(result, look.packets, look.bytes, ledger_);
  return result;
}

// A driver may return fewer packets than it has: only nothing means that nothing is there, or that
// it has no buffer for it, which Arm looks after.
bool EthdevRxQueue::ReceiveInside(Batch& out, Look& look) {
  if (StashIsEmpty() && out.room() >= kStride) {
    const std::span<rte_mbuf*> room(out.data() + out.size(), out.room() / kStride * kStride);
    out.set_size(out.size() + Burst(room, look));
    return look.packets > 0;
  }
  if (StashIsEmpty()) FillStash(look);
  const uint32_t count = std::min(out.room(), stash_end_ - stash_next_);
  std::copy_n(stash_.begin() + stash_next_, count, out.data() + out.size());
  out.set_size(out.size() + count);
  stash_next_ += count;
  return count > 0 || look.packets > 0;
}

// Says how many packets are in `room` now. What cannot be given on is dropped.
uint32_t EthdevRxQueue::Burst(std::span<rte_mbuf*> room, Look& look) {
  const uint16_t taken =
      rte_eth_rx_burst(device_, queue_, room.data(), static_cast<uint16_t>(room.size()));
  uint32_t kept = 0;
  for (rte_mbuf* packet : room.first(taken)) {
    look.bytes += packet->pkt_len;
    DropReason reason;
    if (!NormalizeReceived(*packet, reason)) [[unlikely]] {
      DropPackets({&packet, 1}, reason, ledger_);
      continue;
    }
    room[kept++] = packet;
  }
  look.packets += taken;
  return kept;
}

void EthdevRxQueue::FillStash(Look& look) {
  stash_next_ = 0;
  stash_end_ = Burst(stash_, look);
}

void EthdevRxQueue::DropStash(DropReason reason) {
  DropPackets(std::span(stash_).subspan(stash_next_, stash_end_ - stash_next_), reason, ledger_);
  stash_next_ = stash_end_;
}

// Nothing comes while it is stopped, and once it is started again there is a new plan, which wakes
// the worker. The gate may also be closed for a moment while it runs.
bool EthdevRxQueue::Arm() {
  if (!gate_.Enter()) return stopped_.load(std::memory_order_relaxed);
  const bool armed = ArmInside();
  gate_.Leave();
  return armed;
}

void EthdevRxQueue::Disarm() {
  if (!gate_.Enter()) return;
  DisarmInside();
  gate_.Leave();
}

bool EthdevRxQueue::ArmInside() {
  if (!interrupts_ || !StashIsEmpty() || !HasBuffer()) return false;
  ForgetOldEvents();
  const auto arm = [this] { armed_ = rte_eth_dev_rx_intr_enable(device_, queue_) == 0; };
  const bool armed = ArmThenLook(
      arm, [this] { return !armed_ || ComesAPacket(); }, [this] { DisarmInside(); });
  if (!armed) ledger_.counters[RxCounter::kArmRaces].Add(1);
  return armed;
}

void EthdevRxQueue::DisarmInside() {
  if (std::exchange(armed_, false)) rte_eth_dev_rx_intr_disable(device_, queue_);
}

// Not rte_eth_rx_queue_count: not all drivers have it, and some count what is not complete yet.
bool EthdevRxQueue::ComesAPacket() {
  Look look;
  FillStash(look);
  ledger_.counters[RxCounter::kPackets].Add(look.packets);
  ledger_.counters[RxCounter::kBytes].Add(look.bytes);
  return look.packets > 0;
}

// Without one, packets stay where they are, and nothing tells of them once there are buffers again.
bool EthdevRxQueue::HasBuffer() const {
  rte_mbuf* buffer = rte_pktmbuf_alloc(pool_);
  rte_pktmbuf_free(buffer);
  return buffer != nullptr;
}

// The interrupt is edge triggered (rte_intr_rx_ctl), and stays in the epoll instance until it is
// fetched, whatever was received meanwhile. One that comes from here on stays for poll to see.
void EthdevRxQueue::ForgetOldEvents() {
  rte_epoll_event event;
  ledger_.system_calls[SystemCall::kPoll].Add(1);
  rte_epoll_wait(epoll_.get(), &event, 1, /*timeout=*/0);
}

bool EthdevRxQueue::Start(bool interrupts) {
  // In this order: the last one complains in the log about a driver that does not know them.
  interrupts_ =
      interrupts && rte_eth_dev_rx_intr_enable(device_, queue_) == 0 &&
      rte_eth_dev_rx_intr_disable(device_, queue_) == 0 &&
      rte_eth_dev_rx_intr_ctl_q(device_, queue_, epoll_.get(), RTE_INTR_EVENT_ADD, nullptr) == 0;
  stopped_.store(false, std::memory_order_relaxed);
  gate_.Open();
  return interrupts_;
}

void EthdevRxQueue::Stop() {
  gate_.Close();
  stopped_.store(true, std::memory_order_relaxed);
  DisarmInside();
  if (!std::exchange(interrupts_, false)) return;
  rte_eth_dev_rx_intr_ctl_q(device_, queue_, epoll_.get(), RTE_INTR_EVENT_DEL, nullptr);
}

}  // namespace wakegate
