// The one order in which a queue whose readiness is in memory may be armed.
#ifndef DATAPLANE_WAKEUP_ARM_THEN_LOOK_H_
#define DATAPLANE_WAKEUP_ARM_THEN_LOOK_H_

#include <atomic>

namespace wakegate {

// Says that a wakeup is wanted (`arm`), then looks whether something has come meanwhile
// (`has_work`), and takes the wish back (`disarm`) if so. True: armed, and nothing was there.
//
// The other side writes its data, fences, and reads the wish (virtio 1.1, 2.6.7 and 2.6.10 ask the
// same of both sides). With full fences between the store and the load on both sides at least one
// sees the other. Looked at first and armed then, a packet that comes in between wakes nobody.
template <class Arm, class HasWork, class Disarm>
bool ArmThenLook(Arm&& arm, HasWork&& has_work, Disarm&& disarm) {
  arm();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!has_work()) return true;
  disarm();
  return false;
}

}  // namespace wakegate

#endif  // DATAPLANE_WAKEUP_ARM_THEN_LOOK_H_
