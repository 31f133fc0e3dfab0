#include "dataplane/ports/ethdev/tx_queue.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <algorithm>

#include "dataplane/packet/drop.h"
#include "dataplane/packet/offload.h"
#include "dataplane/ports/ethdev/pseudo_header.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::ErrorKind;
using ledger::FlushCause;
using ledger::TxCounter;
using ledger::TxLevel;

// Until a device that had no room is asked again, at first and at last.
constexpr uint64_t kFirstRetryMicroseconds = 20;
constexpr uint64_t kLongestRetryMicroseconds = 50'000;

uint64_t BytesOf(std::span<rte_mbuf* const> packets) {
  uint64_t bytes = 0;
  for (const rte_mbuf* packet : packets) bytes += packet->pkt_len;
  return bytes;
}

}  // namespace

EthdevTxQueue::EthdevTxQueue(uint16_t device, uint16_t queue, uint64_t tx_offloads,
                             const PortFlags& flags, ledger::TxQueueBlock& ledger)
    : device_(device),
      queue_(queue),
      tx_offloads_(tx_offloads),
      flags_(flags),
      ledger_(ledger),
      cycles_per_microsecond_(rte_get_tsc_hz() / 1'000'000),
      retry_after_(kFirstRetryMicroseconds * cycles_per_microsecond_) {
  backlog_.reserve(kBacklogPackets);
}

EthdevTxQueue::~EthdevTxQueue() { DropHeld(DropReason::kPortRemoved); }

void EthdevTxQueue::Send(Batch& in, Tsc now) {
  if (in.empty()) return;
  ledger_.batch_size.Record(in.size());
  std::span<rte_mbuf*> rest = in.packets();
  if (!backlog_.empty() && now >= retry_at_) PushBacklog();
  if (backlog_.empty()) {
    ledger_.flushes[FlushCause::kImmediate].Add(1);
    rest = rest.subspan(Push(rest));
    held_since_ = now;
    retry_at_ = now;
  }
  if (!rest.empty()) Hold(rest);
  in.Clear();
  ledger_.levels[TxLevel::kHeld].Set(backlog_.size());
}

TxResult EthdevTxQueue::Flush(Tsc now) {
  if (backlog_.empty()) return TxResult::Idle();
  if (now < retry_at_) return TxResult::At(retry_at_);
  ledger_.counters[TxCounter::kRetries].Add(1);
  const Tsc first = kFirstRetryMicroseconds * cycles_per_microsecond_;
  const Tsc longest = kLongestRetryMicroseconds * cycles_per_microsecond_;
  retry_after_ = PushBacklog() ? first : std::min(2 * retry_after_, longest);
  if (const std::optional<DropReason> reason = WhyDown()) DropHeld(*reason);
  ledger_.levels[TxLevel::kHeld].Set(backlog_.size());
  if (backlog_.empty()) {
    retry_after_ = first;
    ledger_.hold_microseconds.Record((now - held_since_) / cycles_per_microsecond_);
    return TxResult::Idle();
  }
  retry_at_ = now + retry_after_;
  return TxResult::At(retry_at_);
}

void EthdevTxQueue::DropHeld(DropReason reason) {
  DropPackets(backlog_, reason, ledger_);
  backlog_.clear();
  ledger_.levels[TxLevel::kHeld].Set(0);
}

void EthdevTxQueue::Hold(std::span<rte_mbuf*> packets) {
  if (const std::optional<DropReason> reason = WhyDown()) {
    DropHeld(*reason);
    DropPackets(packets, *reason, ledger_);
    return;
  }
  const auto held =
      packets.first(std::min<std::size_t>(packets.size(), kBacklogPackets - backlog_.size()));
  backlog_.insert(backlog_.end(), held.begin(), held.end());
  DropPackets(packets.subspan(held.size()), DropReason::kBacklogFull, ledger_);
}

// Asked only once the device has taken nothing: what control knows may be a second old.
std::optional<DropReason> EthdevTxQueue::WhyDown() const {
  if (!flags_.admin_up.load(std::memory_order_relaxed)) return DropReason::kPortDown;
  if (!flags_.carrier.load(std::memory_order_relaxed)) return DropReason::kLinkDown;
  return std::nullopt;
}

// Whether the device took any.
bool EthdevTxQueue::PushBacklog() {
  const uint32_t pushed = Push(backlog_);
  backlog_.erase(backlog_.begin(), backlog_.begin() + pushed);
  return pushed > 0;
}

// Sends or drops packets from the front; says how many. The others have no room.
uint32_t EthdevTxQueue::Push(std::span<rte_mbuf*> packets) {
  if (!gate_.Enter()) return 0;
  const uint32_t pushed = PushInside(packets);
  gate_.Leave();
  return pushed;
}

// A driver may take fewer packets at a time than it has room for: only none means none.
uint32_t EthdevTxQueue::PushInside(std::span<rte_mbuf*> packets) {
  uint32_t done = 0;
  while (done < packets.size()) {
    std::span<rte_mbuf*> rest = packets.subspan(done);
    const uint32_t ready = Prepare(rest);
    const uint32_t sent = ready == 0 ? 0 : Burst(rest.first(ready));
    done += sent;
    if (sent < ready) {
      if (sent == 0) break;
    } else if (ready < rest.size()) {
      // What the driver would not send as it is asked to.
      ledger_.errors[ErrorKind::kInvalid].Add(1);
      DropPackets(rest.subspan(ready, 1), DropReason::kDeviceRefused, ledger_);
      ++done;
    }
  }
  return done;
}

// How many from the front the driver may be given.
uint32_t EthdevTxQueue::Prepare(std::span<rte_mbuf*> packets) {
  // Packets ask for what the port can do, so for nothing here.
  if ((tx_offloads_ & RTE_ETH_TX_OFFLOAD_TCP_CKSUM) == 0) {
    return static_cast<uint32_t>(packets.size());
  }
  uint64_t flags = 0;
  for (const rte_mbuf* packet : packets) flags |= packet->ol_flags;
  if ((flags & kOffloadFlags) == 0) return static_cast<uint32_t>(packets.size());
  const bool ipv4_checksum = (tx_offloads_ & RTE_ETH_TX_OFFLOAD_IPV4_CKSUM) != 0;
  uint32_t prepared = 0;
  for (rte_mbuf* packet : packets) {
    if (AsksForSegmentation(*packet) && !PrepareSegmentation(*packet, ipv4_checksum)) break;
    ++prepared;
  }
  return rte_eth_tx_prepare(device_, queue_, packets.data(), static_cast<uint16_t>(prepared));
}

uint32_t EthdevTxQueue::Burst(std::span<rte_mbuf*> packets) {
  // Before they are the driver's, which may free them at once.
  const uint64_t bytes = BytesOf(packets);
  const uint16_t sent =
      rte_eth_tx_burst(device_, queue_, packets.data(), static_cast<uint16_t>(packets.size()));
  ledger_.counters[TxCounter::kPackets].Add(sent);
  ledger_.counters[TxCounter::kBytes].Add(bytes - BytesOf(packets.subspan(sent)));
  return sent;
}

}  // namespace wakegate
