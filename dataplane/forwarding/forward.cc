#include "dataplane/forwarding/forward.h"

#include <span>

#include "dataplane/packet/adapt.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::RxCounter;

void Drop(std::span<rte_mbuf*> packets, DropReason reason, ledger::RxQueueBlock& ledger) {
  ledger.drops[reason].Add(packets.size());
  rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(packets.size()));
}

void HandOver(Batch& batch, HandoffRing& ring, ledger::RxQueueBlock& ledger) {
  const uint32_t put = ring.Put(batch.packets());
  ledger.counters[RxCounter::kHandedOver].Add(put);
  if (put < batch.size()) Drop(batch.packets().subspan(put), DropReason::kHandoffFull, ledger);
  batch.Clear();
  if (ring.TellOwner()) ledger.system_calls[ledger::SystemCall::kEventfd].Add(1);
}

}  // namespace

void Forward(Batch& batch, const Destination& destination, rte_mempool* pool,
             ledger::RxQueueBlock& ledger, absl::FunctionRef<void(uint32_t, Batch&)> send) {
  switch (destination.kind) {
    case Destination::Kind::kNowhere:
      Drop(batch.packets(), destination.reason, ledger);
      batch.Clear();
      break;
    case Destination::Kind::kOwnQueue:
      Adapt(batch, destination.capabilities, pool, ledger,
            [&](Batch& fitting) { send(destination.sender, fitting); });
      break;
    case Destination::Kind::kHandoff:
      Adapt(batch, destination.capabilities, pool, ledger,
            [&](Batch& fitting) { HandOver(fitting, *destination.ring, ledger); });
      break;
  }
}

}  // namespace wakegate
