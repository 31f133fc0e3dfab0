// Ports come and go.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gateway/testing/eventually.h"
#include "tests/conformance/conformance_test.h"
#include "tests/conformance/memory_host.h"
#include "tests/conformance/traffic.h"

namespace wakegate::testing {
namespace {

using ledger::DropReason;

// What may be resident in excess after all the rounds but the first ten.
#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t kSlackBytes = 64 << 20;  // It keeps freed memory for a while.
#else
constexpr uint64_t kSlackBytes = 4 << 20;
#endif

std::ptrdiff_t OpenFiles() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total;
  uint64_t resident;
  statm >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

using RemovalTest = PairTest;
INSTANTIATE_TEST_SUITE_P(Kinds, RemovalTest, AllPairs(), KindName());

TEST_P(RemovalTest, APortRemovedUnderTrafficAndAddedAgainPassesTrafficAgain) {
  TwoPorts ports(from(), to(), {.workers = 2});
  Traffic there(ports.a(), ports.b());
  Traffic back(ports.b(), ports.a());
  ASSERT_TRUE(there.Flows());
  for (const char* port : {"a", "b", "a", "b"}) {
    ports.bed().settings(port).configured = false;
    ports.bed().Apply();
    const char* other = *port == 'a' ? "b" : "a";
    EXPECT_TRUE(
        Eventually([&] { return ports.gateway().Dropped(other, DropReason::kNoForwarding) > 0; }));
    ports.bed().settings(port).configured = true;
    ports.bed().Apply();
    ASSERT_TRUE(there.Flows()) << "after " << port << " was away";
    ASSERT_TRUE(back.Flows()) << "after " << port << " was away";
  }
}

TEST_P(RemovalTest, FramesSentBeforeAPortIsEnabledDoNotHinderThoseAfter) {
  for (const IdleMode mode : {IdleMode::kPoll, IdleMode::kInterrupt}) {
    TwoPorts ports(from(), to(), {.idle_mode = mode});
    ports.bed().settings("a").admin_up = false;
    ports.bed().Apply();
    // The kernel may refuse some: the link is down.
    for (uint32_t i = 0; i < 2000; ++i) ports.a().Send(RandomFrame(60, i));
    ports.bed().settings("a").admin_up = true;
    ports.bed().Apply();
    Traffic there(ports.a(), ports.b());
    Traffic back(ports.b(), ports.a());
    EXPECT_TRUE(there.Flows());
    EXPECT_TRUE(back.Flows());
  }
}

// Only a memory port's host can leave frames where they are.
using HeldTest = KindTest;
INSTANTIATE_TEST_SUITE_P(Kinds, HeldTest, ValuesIn(AllKinds()), KindName());

TEST_P(HeldTest, FramesOfAPortThatIsRemovedAreSentByThePortThatHoldsThem) {
  TwoPorts ports(GetParam(), MemoryKind());
  // So many more wait in the port than fit into the cable.
  constexpr uint32_t kHeld = 20;
  constexpr uint32_t kFrames = MemoryHost::kRingPackets + kHeld;
  for (uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(ports.a().Send(RandomFrame(60, i)), 0);
    // The device of the other end has room for some hundreds.
    if (i % 256 == 0) {
      ASSERT_TRUE(Eventually([&] { return ports.gateway().Received("a") == i + 1; }));
    }
  }
  ASSERT_TRUE(Eventually([&] { return ports.gateway().Received("a") == kFrames; }));
  ports.bed().settings("a").configured = false;
  ports.bed().Apply();
  EXPECT_EQ(ComputeBooks(ports.gateway().TakeSnapshot()).held, kHeld);
  for (uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(ports.b().Receive(), RandomFrame(60, i)) << i;
  }
}

TEST_P(HeldTest, WhatAPortHoldsWhenItIsRemovedIsDroppedByName) {
  TwoPorts ports(GetParam(), MemoryKind());
  constexpr uint32_t kHeld = 20;
  constexpr uint32_t kFrames = MemoryHost::kRingPackets + kHeld;
  for (uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(ports.a().Send(RandomFrame(60, i)), 0);
    if (i % 256 == 0) {
      ASSERT_TRUE(Eventually([&] { return ports.gateway().Received("a") == i + 1; }));
    }
  }
  ASSERT_TRUE(Eventually([&] { return ports.gateway().Received("a") == kFrames; }));
  ports.bed().settings("b").configured = false;
  ports.bed().Apply();
  const ledger::Books books = ComputeBooks(ports.gateway().TakeSnapshot());
  EXPECT_EQ(books.held, 0U);
  EXPECT_EQ(books.difference(), 0) << books.ToString();
}

using RecreationTest = KindTest;
INSTANTIATE_TEST_SUITE_P(Kinds, RecreationTest, ValuesIn(AllKinds()), KindName());

TEST_P(RecreationTest, APortRemovedAndAddedManyTimesLeavesNothingBehind) {
  // The kernel takes its time to close packet sockets.
  const int rounds = GetParam().name == "tap" ? 1000 : 100;
  TwoPorts ports(MemoryKind(), GetParam());
  std::ptrdiff_t open_files = 0;
  uint64_t resident_bytes = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const bool configured : {false, true}) {
      ports.bed().settings("b").configured = configured;
      ASSERT_NO_FATAL_FAILURE(ports.bed().Apply()) << "round " << round;
    }
    if (round != 10) continue;  // By then, what is made once has been made.
    open_files = OpenFiles();
    resident_bytes = ResidentBytes();
  }
  EXPECT_EQ(OpenFiles(), open_files);
  EXPECT_LT(ResidentBytes(), resident_bytes + kSlackBytes);
  ports.b().Attach();
  ExpectConnected(ports);
}

}  // namespace
}  // namespace wakegate::testing
