#include "dataplane/trigger/poll_ring.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "dataplane/kernel/file_descriptor.h"

namespace wakegate {
namespace {

using std::chrono::milliseconds;

class PollRingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<PollRing>> ring = PollRing::Create(100);
    if (!ring.ok()) GTEST_SKIP() << ring.status();
    ring_ = *std::move(ring);
    for (int i = 0; i < 100; ++i) files_.emplace_back(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  }
  void Ring(uint32_t slot) { eventfd_write(files_[slot].get(), 1); }
  bool MayHaveFired() const {
    return (*ring_->flags() & PollRing::kFlagMask) != 0 || *ring_->tail() != ring_->tail_seen();
  }
  std::vector<uint32_t> Fired() {
    std::vector<uint32_t> fired;
    ring_->TakeFired([&](uint32_t slot) { fired.push_back(slot); });
    return fired;
  }

  std::unique_ptr<PollRing> ring_;
  std::vector<FileDescriptor> files_;
};

TEST_F(PollRingTest, AWatchFiresOnceAndMemoryTellsSo) {
  ring_->Prepare(7, files_[7].get());
  ring_->Submit();
  EXPECT_FALSE(MayHaveFired());
  Ring(7);
  EXPECT_TRUE(MayHaveFired());
  EXPECT_EQ(Fired(), std::vector<uint32_t>{7});
  EXPECT_FALSE(ring_->IsWatched(7));
  Ring(7);
  EXPECT_FALSE(MayHaveFired());
}

TEST_F(PollRingTest, AFileThatIsReadableAlreadyFiresAtOnce) {
  Ring(3);
  ring_->Prepare(3, files_[3].get());
  ring_->Submit();
  EXPECT_TRUE(MayHaveFired());
  EXPECT_EQ(Fired(), std::vector<uint32_t>{3});
}

TEST_F(PollRingTest, WaitSubmitsAndEndsWhenOneFiresOrTheTimeIsUp) {
  ring_->Prepare(1, files_[1].get());
  const auto start = std::chrono::steady_clock::now();
  const uint64_t calls = ring_->system_calls();
  ring_->Wait(milliseconds(20));
  EXPECT_EQ(ring_->system_calls(), calls + 1);
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(20));
  EXPECT_TRUE(Fired().empty());
  Ring(1);
  ring_->Wait(std::chrono::seconds(100));
  EXPECT_EQ(Fired(), std::vector<uint32_t>{1});
}

TEST_F(PollRingTest, WhatWasCancelledDoesNotFireAndItsSlotCanBeWatchedAgain) {
  ring_->Prepare(1, files_[1].get());
  ring_->Prepare(2, files_[2].get());
  ring_->Submit();
  ring_->Cancel(1);
  Ring(1);
  EXPECT_TRUE(Fired().empty());
  ring_->Prepare(1, files_[1].get());
  ring_->Submit();
  EXPECT_EQ(Fired(), std::vector<uint32_t>{1});
  EXPECT_TRUE(ring_->IsWatched(2));
}

// The other end of a pipe sees when the last reference to this one has gone.
TEST_F(PollRingTest, AfterCancelAllTheRingHoldsNoFile) {
  std::vector<FileDescriptor> readers;
  std::vector<FileDescriptor> writers;
  for (uint32_t slot = 0; slot < 100; ++slot) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    readers.emplace_back(ends[0]);
    writers.emplace_back(ends[1]);
    ring_->Prepare(slot, ends[0]);
  }
  ring_->Submit();
  ring_->CancelAll();
  readers.clear();
  std::signal(SIGPIPE, SIG_IGN);
  for (const FileDescriptor& writer : writers) {
    EXPECT_EQ(write(writer.get(), "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
  }
}

TEST_F(PollRingTest, ManyWatchesFireTogether) {
  for (uint32_t slot = 0; slot < 100; ++slot) ring_->Prepare(slot, files_[slot].get());
  ring_->Submit();
  for (uint32_t slot = 0; slot < 100; ++slot) Ring(slot);
  uint32_t fired = 0;
  while (MayHaveFired()) fired += static_cast<uint32_t>(Fired().size());
  EXPECT_EQ(fired, 100U);
}

}  // namespace
}  // namespace wakegate
