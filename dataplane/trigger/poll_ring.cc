#include "dataplane/trigger/poll_ring.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "absl/status/status.h"
#include "dataplane/kernel/kernel_error.h"

namespace wakegate {
namespace {

constexpr uint32_t kEntries = 128;
constexpr uint32_t kCompletionEntries = 2 * PollRing::kMaxSlots;
// Of a cancellation, which has no slot.
constexpr uint64_t kNoSlot = ~uint64_t{0};

uint64_t Tag(uint32_t slot, uint32_t watch_number) { return uint64_t{watch_number} << 32 | slot; }

std::string WhyNoRing(int error) {
  switch (error) {
    case ENOSYS:
      return "the kernel has no io_uring, or a seccomp profile hides it";
    case EPERM:
      return "forbidden by a seccomp profile or by sysctl kernel.io_uring_disabled";
    case EINVAL:
      return "the kernel is older than 5.19";
    case ENOMEM:
      return "raise RLIMIT_MEMLOCK (ulimit -l)";
    default:
      return "";
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<PollRing>> PollRing::Create(uint32_t slots) {
  std::unique_ptr<PollRing> ring(new PollRing(slots));
  if (const absl::Status status = ring->SetUp(); !status.ok()) return status;
  return ring;
}

absl::Status PollRing::SetUp() {
  constexpr uint32_t kCommon = IORING_SETUP_CQSIZE | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_CLAMP;
  int error = EINVAL;
  for (const uint32_t flags :
       {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN}) {
    io_uring_params parameters = {};
    parameters.flags = kCommon | flags;
    parameters.cq_entries = kCompletionEntries;
    error = -io_uring_queue_init_params(kEntries, &ring_, &parameters);
    if (error != EINVAL) break;
  }
  if (error != 0) return KernelError(error, "io_uring_setup", WhyNoRing(error));
  ring_open_ = true;
  // Saves the look-up of the file in each call; where it fails, that is all that is lost.
  io_uring_register_ring_fd(&ring_);
  return absl::OkStatus();
}

PollRing::~PollRing() {
  if (ring_open_) io_uring_queue_exit(&ring_);
}

io_uring_sqe* PollRing::NextEntry() {
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);
  if (entry != nullptr) return entry;
  Submit();
  return io_uring_get_sqe(&ring_);
}

void PollRing::Prepare(uint32_t slot, int fd) {
  io_uring_sqe* entry = NextEntry();
  io_uring_prep_poll_add(entry, fd, POLLIN);
  entry->user_data = Tag(slot, ++watch_number_[slot]);
  watched_[slot] = true;
}

void PollRing::Submit() {
  if (io_uring_sq_ready(&ring_) == 0) return;
  ++system_calls_;
  io_uring_submit(&ring_);
}

void PollRing::Wait(std::chrono::nanoseconds timeout) {
  __kernel_timespec limit = {.tv_sec = timeout.count() / 1'000'000'000,
                             .tv_nsec = timeout.count() % 1'000'000'000};
  io_uring_cqe* completion = nullptr;
  ++system_calls_;
  io_uring_submit_and_wait_timeout(&ring_, &completion, 1, &limit, nullptr);
}

void PollRing::Cancel(uint32_t slot) {
  if (!watched_[slot]) return;
  io_uring_sqe* entry = NextEntry();
  io_uring_prep_cancel64(entry, Tag(slot, watch_number_[slot]), 0);
  entry->user_data = kNoSlot;
  // Its completion, and that of the poll, come later and find the slot no longer watched.
  watched_[slot] = false;
  Submit();
}

void PollRing::CancelAll() {
  if (std::find(watched_.begin(), watched_.end(), true) == watched_.end()) return;
  io_uring_sqe* entry = NextEntry();
  io_uring_prep_cancel64(entry, 0, IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL);
  entry->user_data = kNoSlot;
  watched_.assign(watched_.size(), false);
  ++system_calls_;
  io_uring_submit_and_wait(&ring_, 1);
  // The kernel completes some of them at a time. A poll lets go of its file when it completes.
  do {
    TakeFired([](uint32_t) {});
  } while (HasWork());
}

void PollRing::TakeFired(absl::FunctionRef<void(uint32_t)> visit) {
  if (HasWork()) {
    ++system_calls_;
    io_uring_get_events(&ring_);
  }
  io_uring_cqe* completion = nullptr;
  unsigned head = 0;
  unsigned count = 0;
  io_uring_for_each_cqe(&ring_, head, completion) {
    ++count;
    const auto slot = static_cast<uint32_t>(completion->user_data);
    if (completion->user_data == kNoSlot || !watched_[slot] ||
        completion->user_data != Tag(slot, watch_number_[slot])) {
      continue;
    }
    watched_[slot] = false;
    visit(slot);
  }
  io_uring_cq_advance(&ring_, count);
}

}  // namespace wakegate
