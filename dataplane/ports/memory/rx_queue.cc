#include "dataplane/ports/memory/rx_queue.h"

#include "dataplane/wakeup/arm_then_look.h"

namespace wakegate {

using ledger::RxCounter;

RxResult MemoryRxQueue::Receive(Batch& out) {
  const uint32_t wanted = out.room();
  const uint32_t got = ring_.Get({out.data() + out.size(), wanted});
  ledger_.counters[RxCounter::kPolls].Add(1);
  if (got == 0) {
    ledger_.counters[RxCounter::kEmptyPolls].Add(1);
    return RxResult::kDrained;
  }
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < got; ++i) bytes += out.data()[out.size() + i]->pkt_len;
  out.set_size(out.size() + got);
  ledger_.counters[RxCounter::kPackets].Add(got);
  ledger_.counters[RxCounter::kBytes].Add(bytes);
  ledger_.batch_size.Record(got);
  return got == wanted || ring_.HasPackets() ? RxResult::kMore : RxResult::kDrained;
}

bool MemoryRxQueue::Arm() {
  const bool armed =
      ArmThenLook([this] { ring_.packets_bell().AboutToSleep(); },
                  [this] { return ring_.HasPackets(); }, [this] { Disarm(); });
  if (!armed) ledger_.counters[RxCounter::kArmRaces].Add(1);
  return armed;
}

void MemoryRxQueue::Disarm() {
  if (ring_.packets_bell().Awake()) ledger_.system_calls[ledger::SystemCall::kEventfd].Add(1);
}

}  // namespace wakegate
