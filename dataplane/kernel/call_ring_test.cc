#include "dataplane/kernel/call_ring.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "dataplane/kernel/file_descriptor.h"

namespace wakegate {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// Packets one way.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends;
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    in = FileDescriptor(ends[0]);
    out = FileDescriptor(ends[1]);
  }
  FileDescriptor in;
  FileDescriptor out;
};

class CallRingTest : public ::testing::Test {
 protected:
  CallRingTest() {
    absl::StatusOr<std::unique_ptr<CallRing>> ring = CallRing::Create();
    EXPECT_TRUE(ring.ok()) << ring.status();
    if (ring.ok()) ring_ = *std::move(ring);
  }

  std::unique_ptr<CallRing> ring_;
};

TEST_F(CallRingTest, CallsAreCarriedOutInOrderAndEachSaysWhatItCameTo) {
  const Pipe pipe;
  const std::vector<uint8_t> bytes = {1, 2, 3};
  for (std::size_t count = 1; count <= bytes.size(); ++count) {
    ring_->PrepareWrite(pipe.in.get(), std::span(bytes).first(count));
  }
  EXPECT_EQ(ring_->prepared(), 3U);
  EXPECT_THAT(ring_->Submit(), ElementsAre(1, 2, 3));
  EXPECT_EQ(ring_->prepared(), 0U);

  std::array<std::array<uint8_t, 8>, 5> buffers = {};
  for (auto& buffer : buffers) ring_->PrepareRead(pipe.out.get(), buffer);
  EXPECT_THAT(ring_->Submit(), ElementsAre(1, 2, 3, -EAGAIN, -EAGAIN));
  EXPECT_THAT(buffers[2], ElementsAre(1, 2, 3, 0, 0, 0, 0, 0));
  EXPECT_THAT(ring_->Submit(), ElementsAre()) << "nothing is prepared";
}

TEST_F(CallRingTest, OneThatFailsDoesNotHinderTheNext) {
  const Pipe pipe;
  const std::array<uint8_t, 1> byte = {7};
  const FileDescriptor not_for_writing(open("/dev/zero", O_RDONLY | O_CLOEXEC));
  ring_->PrepareWrite(-1, byte);
  ring_->PrepareWrite(not_for_writing.get(), byte);
  ring_->PrepareWrite(pipe.in.get(), byte);
  EXPECT_THAT(ring_->Submit(), ElementsAre(-EBADF, -EBADF, 1));
}

TEST_F(CallRingTest, AFileThatWouldBlockNeverHoldsTheThread) {
  // Not O_NONBLOCK.
  const FileDescriptor counter(eventfd(0, EFD_CLOEXEC));
  std::array<uint8_t, 8> buffer;
  for (uint32_t i = 0; i < CallRing::kMaxCalls; ++i) ring_->PrepareRead(counter.get(), buffer);
  EXPECT_THAT(ring_->Submit(), Each(-EAGAIN));
}

TEST_F(CallRingTest, TheCostsAreThoseOfCallsIntoTheKernel) {
  const absl::StatusOr<CallCosts> costs = ring_->Measure();
  ASSERT_TRUE(costs.ok()) << costs.status();
  for (const double nanoseconds : {costs->single, costs->batched}) {
    EXPECT_GT(nanoseconds, 10);
    EXPECT_LT(nanoseconds, 1e6);
  }
}

TEST_F(CallRingTest, EachThreadHasItsOwn) {
  CallRing::SetOfThisThread(ring_.get());
  std::thread([] { EXPECT_EQ(CallRing::OfThisThread(), nullptr); }).join();
  EXPECT_EQ(CallRing::OfThisThread(), ring_.get());
  CallRing::SetOfThisThread(nullptr);
}

}  // namespace
}  // namespace wakegate
