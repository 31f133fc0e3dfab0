// How every receive queue counts a Receive.
#ifndef DATAPLANE_PORTS_COUNT_LOOK_H_
#define DATAPLANE_PORTS_COUNT_LOOK_H_

#include <cstdint>

#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// `packets`, `bytes`: what the look took from the device, what was dropped at once included. The
// ledger's writing thread.
inline void CountLook(RxResult result, uint64_t packets, uint64_t bytes,
                      ledger::RxQueueBlock& ledger) {
  using ledger::RxCounter;
  ledger.counters[RxCounter::kPolls].Add(1);
  if (result == RxResult::kRetryLater) ledger.counters[RxCounter::kRetries].Add(1);
  if (packets > 0) {
    ledger.counters[RxCounter::kPackets].Add(packets);
    ledger.counters[RxCounter::kBytes].Add(bytes);
    ledger.batch_size.Record(packets);
  } else if (result == RxResult::kDrained) {
    ledger.counters[RxCounter::kEmptyPolls].Add(1);
  }
}

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_COUNT_LOOK_H_
