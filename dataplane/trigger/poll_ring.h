// An io_uring that does nothing but poll files.
#ifndef DATAPLANE_TRIGGER_POLL_RING_H_
#define DATAPLANE_TRIGGER_POLL_RING_H_

#include <liburing.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace wakegate {

// Polls of files for readability, each one shot and known by its slot. All functions: the thread
// that made it. The kernel completes a poll when the thread asks it to; SetUpIoRing says how the
// thread knows.
class PollRing {
 public:
  // The most slots that a ring can have.
  static constexpr uint32_t kMaxSlots = 2560;

  // An error: the kernel has no such ring, or forbids it to this process; says which and why.
  static absl::StatusOr<std::unique_ptr<PollRing>> Create(uint32_t slots);
  ~PollRing();
  PollRing(const PollRing&) = delete;
  PollRing& operator=(const PollRing&) = delete;

  bool IsWatched(uint32_t slot) const { return watched_[slot]; }
  // Watches from the next Submit or Wait on. The slot is not watched yet. `fd` stays open until the
  // watch has ended.
  void Prepare(uint32_t slot, int fd);
  // One system call, none where nothing is prepared.
  void Submit();
  // Submits, then blocks until a watch fires, for `timeout` at most. One system call. Returns early
  // for a signal.
  void Wait(std::chrono::nanoseconds timeout);
  // Ends the watch of a slot, or of all; a system call or two. The files may be closed then.
  void Cancel(uint32_t slot);
  void CancelAll();

  // Calls `visit(slot)` for each watch that has fired. A system call where the kernel has polls to
  // complete.
  void TakeFired(absl::FunctionRef<void(uint32_t)> visit);

  // What changes when a watch fires (Trigger::MayHaveFired): bits in a word of flags, and a tail
  // that leaves the value seen last. Constant but for the last.
  const uint32_t* flags() const { return ring_.sq.kflags; }
  static constexpr uint32_t kFlagMask = IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW;
  const uint32_t* tail() const { return ring_.cq.ktail; }
  uint32_t tail_seen() const { return *ring_.cq.khead; }

  // Since the ring was made.
  uint64_t system_calls() const { return system_calls_; }

 private:
  explicit PollRing(uint32_t slots) : watched_(slots) {}
  absl::Status SetUp();
  io_uring_sqe* NextEntry();
  // Whether the kernel has polls to complete.
  bool HasWork() const { return (__atomic_load_n(flags(), __ATOMIC_RELAXED) & kFlagMask) != 0; }

  io_uring ring_;
  bool ring_open_ = false;
  std::vector<bool> watched_;
  // Tells completions of this watch of a slot from late ones of an earlier watch.
  std::vector<uint32_t> watch_number_ = std::vector<uint32_t>(watched_.size());
  uint64_t system_calls_ = 0;
};

}  // namespace wakegate

#endif  // DATAPLANE_TRIGGER_POLL_RING_H_
