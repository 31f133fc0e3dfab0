// Receives what the other end of the cable sends.
#ifndef DATAPLANE_PORTS_MEMORY_RX_QUEUE_H_
#define DATAPLANE_PORTS_MEMORY_RX_QUEUE_H_

#include <cstdint>

#include "dataplane/packet/batch.h"
#include "dataplane/ports/memory/ring.h"
#include "dataplane/wakeup/arm_then_look.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// An RxQueue (queue_concepts.h). `Ring` is a MemoryRing; a test puts something around it that makes
// a packet arrive between any two of its calls.
template <class Ring>
class BasicMemoryRxQueue {
 public:
  BasicMemoryRxQueue(Ring& ring, ledger::RxQueueBlock& ledger) : ring_(ring), ledger_(ledger) {}

  RxResult Receive(Batch& out) {
    const uint32_t wanted = out.room();
    const uint32_t got = ring_.Get({out.data() + out.size(), wanted});
    ledger_.counters[ledger::RxCounter::kPolls].Add(1);
    if (got == 0) {
      ledger_.counters[ledger::RxCounter::kEmptyPolls].Add(1);
      return RxResult::kDrained;
    }
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < got; ++i) bytes += out.data()[out.size() + i]->pkt_len;
    out.set_size(out.size() + got);
    ledger_.counters[ledger::RxCounter::kPackets].Add(got);
    ledger_.counters[ledger::RxCounter::kBytes].Add(bytes);
    ledger_.batch_size.Record(got);
    return got == wanted || ring_.HasPackets() ? RxResult::kMore : RxResult::kDrained;
  }

  bool Arm() {
    const bool armed = ArmThenLook([this] { ring_.packets_bell().AboutToSleep(); },
                                   [this] { return ring_.HasPackets(); }, [this] { Disarm(); });
    if (!armed) ledger_.counters[ledger::RxCounter::kArmRaces].Add(1);
    return armed;
  }

  void Disarm() {
    if (ring_.packets_bell().Awake()) ledger_.system_calls[ledger::SystemCall::kEventfd].Add(1);
  }

  int wait_fd() { return ring_.packets_bell().fd(); }
  ReadyWord ready_word() const { return ring_.ready_word(); }

 private:
  Ring& ring_;
  ledger::RxQueueBlock& ledger_;
};

using MemoryRxQueue = BasicMemoryRxQueue<MemoryRing>;
static_assert(RxQueue<MemoryRxQueue>);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_MEMORY_RX_QUEUE_H_
