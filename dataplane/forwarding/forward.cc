#include "dataplane/forwarding/forward.h"

#include "dataplane/packet/adapt.h"
#include "dataplane/packet/drop.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::RxCounter;

void HandOver(Batch& batch, HandoffRing& ring, ledger::RxQueueBlock& ledger) {
  const uint32_t put = ring.Put(batch.packets());
  ledger.counters[RxCounter::kHandedOver].Add(put);
  DropPackets(batch.packets().subspan(put), DropReason::kHandoffFull, ledger);
  batch.Clear();
  if (ring.TellOwner()) ledger.system_calls[ledger::SystemCall::kEventfd].Add(1);
}

}  // namespace

void Forward(Batch& batch, const Destination& destination, rte_mempool* pool,
             ledger::RxQueueBlock& ledger, absl::FunctionRef<void(uint32_t, Batch&)> send) {
  switch (destination.kind) {
    case Destination::Kind::kNowhere:
      DropPackets(batch.packets(), destination.reason, ledger);
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
