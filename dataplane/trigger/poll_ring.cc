#include "dataplane/trigger/poll_ring.h"

#include <poll.h>

#include <algorithm>

#include "absl/status/status.h"
#include "dataplane/kernel/io_ring.h"

namespace wakegate {
namespace {

constexpr uint32_t kEntries = 128;
constexpr uint32_t kCompletionEntries = 2 * PollRing::kMaxSlots;
// Of a cancellation, which has no slot.
constexpr uint64_t kNoSlot = ~uint64_t{0};

uint64_t Tag(uint32_t slot, uint32_t watch_number) { return uint64_t{watch_number} << 32 | slot; }

}  // namespace

absl::StatusOr<std::unique_ptr<PollRing>> PollRing::Create(uint32_t slots) {
  std::unique_ptr<PollRing> ring(new PollRing(slots));
  if (const absl::Status status = ring->SetUp(); !status.ok()) return status;
  return ring;
}

absl::Status PollRing::SetUp() {
  const absl::Status status = SetUpIoRing(kEntries, kCompletionEntries, ring_);
  ring_open_ = status.ok();
  return status;
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
