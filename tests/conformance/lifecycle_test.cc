// Ports come and go.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gateway/testing/eventually.h"
#include "tests/conformance/conformance_test.h"
#include "tests/conformance/traffic.h"

namespace wakegate::testing {
namespace {

using ledger::DropReason;

// What may be resident in excess after ninety more rounds.
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

using RecreationTest = KindTest;
INSTANTIATE_TEST_SUITE_P(Kinds, RecreationTest, ValuesIn(AllKinds()), KindName());

TEST_P(RecreationTest, APortRemovedAndAddedAHundredTimesLeavesNothingBehind) {
  TwoPorts ports(MemoryKind(), GetParam());
  std::ptrdiff_t open_files = 0;
  uint64_t resident_bytes = 0;
  for (int round = 0; round < 100; ++round) {
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
