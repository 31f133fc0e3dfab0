// What happens to a burst between the queue it came in by and the one it leaves by.
#ifndef DATAPLANE_FORWARDING_FORWARD_H_
#define DATAPLANE_FORWARDING_FORWARD_H_

#include <rte_mempool.h>

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "dataplane/forwarding/destination.h"
#include "dataplane/packet/batch.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// Takes all packets of `batch` and empties it: adapts them to the port they leave by, then gives
// them to `send(sender, packets)`, which takes them all and empties its batch, or to the worker
// that owns their transmit queue. `pool`: for packets that this makes. `ledger`: of the queue that
// they came in by. Worker only.
void Forward(Batch& batch, const Destination& destination, rte_mempool* pool,
             ledger::RxQueueBlock& ledger, absl::FunctionRef<void(uint32_t, Batch&)> send);

}  // namespace wakegate

#endif  // DATAPLANE_FORWARDING_FORWARD_H_
