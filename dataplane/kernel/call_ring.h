// Several reads or writes in one system call.
#ifndef DATAPLANE_KERNEL_CALL_RING_H_
#define DATAPLANE_KERNEL_CALL_RING_H_

#include <liburing.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"

namespace wakegate {

// What one of many calls takes, in nanoseconds, made by itself and as one of a batch. Without what
// it does: the difference is that of entering the kernel and of io_uring's own work. Which one is
// smaller depends on the machine; where a call is slow the gain is great: 1053 against 194 in a
// virtual machine.
struct CallCosts {
  double single = 0;
  double batched = 0;
};

// An io_uring that carries out reads and writes of files that never block: prepared one by one,
// then submitted together. All functions: the thread that made it.
class CallRing {
 public:
  static constexpr uint32_t kMaxCalls = 64;

  // An error as of SetUpIoRing.
  static absl::StatusOr<std::unique_ptr<CallRing>> Create();
  ~CallRing();
  CallRing(const CallRing&) = delete;
  CallRing& operator=(const CallRing&) = delete;

  // The ring that what runs on this thread may use; null: each call by itself.
  static CallRing* OfThisThread() { return of_this_thread_; }
  static void SetOfThisThread(CallRing* ring) { of_this_thread_ = ring; }

  // At most kMaxCalls until they are submitted. The buffers stay until then.
  void PrepareRead(int fd, std::span<uint8_t> buffer);
  void PrepareWrite(int fd, std::span<const uint8_t> bytes);
  uint32_t prepared() const { return prepared_; }

  // Carries out what is prepared, in that order, one after the other whatever becomes of each; one
  // system call. What each has come to, until the next PrepareRead or PrepareWrite: bytes, or a
  // negative errno: -EAGAIN where it would have blocked, -EOPNOTSUPP where the file does not say
  // whether it would.
  std::span<const int32_t> Submit();

  // Makes 1280 calls each way: about a millisecond.
  absl::StatusOr<CallCosts> Measure();

 private:
  CallRing() = default;
  void Prepare(io_uring_sqe& entry);

  inline static thread_local CallRing* of_this_thread_ = nullptr;

  io_uring ring_ = {};
  bool ring_open_ = false;
  uint32_t prepared_ = 0;
  std::array<int32_t, kMaxCalls> results_ = {};
};

}  // namespace wakegate

#endif  // DATAPLANE_KERNEL_CALL_RING_H_
