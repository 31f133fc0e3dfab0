// Receives what the other end of the cable sends.
#ifndef DATAPLANE_PORTS_MEMORY_RX_QUEUE_H_
#define DATAPLANE_PORTS_MEMORY_RX_QUEUE_H_

#include <cstdint>
#include <span>

#include "dataplane/packet/batch.h"
#include "dataplane/ports/count_look.h"
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
    const std::span<rte_mbuf*> packets(out.data() + out.size(), wanted);
    const uint32_t got = ring_.Get(packets);
    uint64_t bytes = 0;
    for (const rte_mbuf* packet : packets.first(got)) bytes += packet->pkt_len;
    out.set_size(out.size() + got);
    const RxResult result =
        got == wanted || ring_.HasPackets() ? RxResult::kMore : RxResult::kDrained;
    CountLook(result, got, bytes, ledger_);
    return result;
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
