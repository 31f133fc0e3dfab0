// A bell for somebody who is usually awake: ringing it costs a load unless he sleeps.
#ifndef DATAPLANE_WAKEUP_DOORBELL_H_
#define DATAPLANE_WAKEUP_DOORBELL_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"

namespace wakegate {

// One sleeper, any number of ringers. The sleeper: AboutToSleep, look once more at all that he may
// be rung for, block on fd() only if there is nothing, Awake. A ringer: write what the sleeper
// shall find, then Ring. The full fences on both sides (store, fence, load) make sure that one of
// them sees the other.
class Doorbell {
 public:
  static absl::StatusOr<std::unique_ptr<Doorbell>> Create();
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  // Any thread. True: he slept, and this call woke him with a system call.
  bool Ring() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!asleep_.load(std::memory_order_relaxed)) return false;
    return WakeSleeper();
  }

  // The sleeper.
  void AboutToSleep() {
    about_to_sleep_ = true;
    asleep_.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  // Also where he did not block after all, and where he never was about to. True: he was rung,
  // which costs a system call to clear fd().
  bool Awake();
  // Readable once rung. Level-triggered.
  int fd() const { return fd_; }

 private:
  explicit Doorbell(int fd) : fd_(fd) {}
  bool WakeSleeper();

  std::atomic<bool> asleep_ = false;  // Set by the sleeper, cleared by him or the first ringer.
  bool about_to_sleep_ = false;       // The sleeper's.
  uint64_t unread_rings_ = 0;         // Writes to fd_ that Awake has yet to read. The sleeper's.
  int fd_;
};

}  // namespace wakegate

#endif  // DATAPLANE_WAKEUP_DOORBELL_H_
