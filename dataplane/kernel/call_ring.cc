#include "dataplane/kernel/call_ring.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <limits>
#include <utility>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/kernel/io_ring.h"
#include "dataplane/kernel/kernel_error.h"

namespace wakegate {
namespace {

constexpr int kRounds = 40;
constexpr uint32_t kCallsEach = 32;

// How long one of the calls takes that `make_calls` makes.
template <class MakeCalls>
double NanosecondsEach(MakeCalls&& make_calls) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  make_calls();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kCallsEach;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CallRing>> CallRing::Create() {
  std::unique_ptr<CallRing> ring(new CallRing);
  const absl::Status status = SetUpIoRing(kMaxCalls, 2 * kMaxCalls, ring->ring_);
  if (!status.ok()) return status;
  ring->ring_open_ = true;
  return ring;
}

CallRing::~CallRing() {
  if (ring_open_) io_uring_queue_exit(&ring_);
}

void CallRing::PrepareRead(int fd, std::span<uint8_t> buffer) {
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);  // There are as many as may be prepared.
  io_uring_prep_read(entry, fd, buffer.data(), static_cast<unsigned>(buffer.size()), 0);
  Prepare(*entry);
}

void CallRing::PrepareWrite(int fd, std::span<const uint8_t> bytes) {
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);
  io_uring_prep_write(entry, fd, bytes.data(), static_cast<unsigned>(bytes.size()), 0);
  Prepare(*entry);
}

// With RWF_NOWAIT a call is over when it has been submitted. Without it, one that would block is
// repeated once it would not any more, even where the file is O_NONBLOCK.
void CallRing::Prepare(io_uring_sqe& entry) {
  entry.rw_flags = RWF_NOWAIT;
  entry.user_data = prepared_++;
}

std::span<const int32_t> CallRing::Submit() {
  const std::span<int32_t> results(results_.data(), std::exchange(prepared_, 0));
  for (std::size_t seen = 0; seen < results.size();) {
    const int error =
        -io_uring_submit_and_wait(&ring_, static_cast<unsigned>(results.size() - seen));
    if (error > 0 && error != EINTR && error != EAGAIN && error != EBUSY) {
      std::ranges::fill(results, -error);  // A seccomp profile: the ring is good for nothing.
      break;
    }
    io_uring_cqe* completion = nullptr;
    unsigned head = 0;
    unsigned count = 0;
    io_uring_for_each_cqe(&ring_, head, completion) {
      results[completion->user_data] = completion->res;
      ++count;
    }
    io_uring_cq_advance(&ring_, count);
    seen += count;
  }
  return results;
}

absl::StatusOr<CallCosts> CallRing::Measure() {
  // Each read finds something: io_uring takes twice as long for one that fails.
  const FileDescriptor file(
      eventfd(2 * kRounds * kCallsEach, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC));
  if (!file.valid()) return KernelError(errno, "eventfd");
  uint64_t value = 0;
  const std::span<uint8_t> buffer(reinterpret_cast<uint8_t*>(&value), sizeof value);
  // In turns, the least of each: what comes between makes one longer, nothing makes it shorter, and
  // the machine may become slower meanwhile.
  constexpr double kLong = std::numeric_limits<double>::max();
  CallCosts costs = {.single = kLong, .batched = kLong};
  int32_t result = 0;
  for (int round = 0; round < kRounds; ++round) {
    costs.single = std::min(costs.single, NanosecondsEach([&] {
                              for (uint32_t i = 0; i < kCallsEach; ++i) {
                                (void)!read(file.get(), buffer.data(), buffer.size());
                              }
                            }));
    costs.batched = std::min(costs.batched, NanosecondsEach([&] {
                               for (uint32_t i = 0; i < kCallsEach; ++i)
                                 PrepareRead(file.get(), buffer);
                               result = Submit().back();
                             }));
  }
  if (result == sizeof value) return costs;
  return KernelError(result < 0 ? -result : EIO, "read an eventfd through io_uring");
}

}  // namespace wakegate
