// Whatever arrives goes on by itself: no frame waits for the one behind it.
#include <algorithm>
#include <chrono>
#include <thread>

#include "gateway/testing/eventually.h"
#include "tests/conformance/conformance_test.h"
#include "tests/conformance/memory_host.h"

namespace wakegate::testing {
namespace {

using ledger::DropReason;
using ledger::PortCounter;
using ledger::WakeCause;
using ledger::WorkerCounter;

std::vector<Bytes> Burst(uint32_t count) {
  std::vector<Bytes> frames;
  for (uint32_t i = 0; i < count; ++i) frames.push_back(RandomFrame(60 + i, i));
  return frames;
}

class WakeupTest : public ::testing::TestWithParam<std::tuple<Kind, Kind, IdleMode>> {
 protected:
  const Kind& from() const { return std::get<0>(GetParam()); }
  const Kind& to() const { return std::get<1>(GetParam()); }
  IdleMode mode() const { return std::get<2>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Kinds, WakeupTest,
                         Combine(ValuesIn(KindsOnceOpen()), ValuesIn(KindsOnceOpen()),
                                 Values(IdleMode::kPoll, IdleMode::kAdaptive,
                                        IdleMode::kInterrupt)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_to_" +
                                  std::get<1>(test.param).name + "_" +
                                  IdleModeName(std::get<2>(test.param));
                         });

TEST_P(WakeupTest, ABurstAndOneMoreThenSilenceAllArrive) {
  TwoPorts ports(from(), to(), {.workers = 2, .idle_mode = mode()});
  for (const uint32_t burst : {1, 32, 64}) {
    ports.bed().settings("a").knobs["burst_size"] = std::to_string(burst);
    ports.bed().settings("b").knobs["burst_size"] = std::to_string(burst);
    ports.bed().Apply();
    for (int round = 0; round < 5; ++round) {
      ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.a(), ports.b(), Burst(burst + 1)));
      // Long enough for the workers to sleep.
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  if (mode() != IdleMode::kPoll) {
    EXPECT_GT(ports.gateway().Count(WorkerCounter::kSleeps), 0U);
  }
}

TEST_P(WakeupTest, OneFrameThenSilenceArrives) {
  TwoPorts ports(from(), to(), {.idle_mode = mode()});
  for (uint32_t round = 0; round < 10; ++round) {
    ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.a(), ports.b(), {RandomFrame(60, round)}));
    std::this_thread::sleep_for(std::chrono::microseconds(200 * (round % 3)));
    ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.b(), ports.a(), {RandomFrame(60, round)}));
  }
}

TEST(LongestSleepTest, ASleepThatLastsItsTimeIsEndedByTheTimer) {
  Testbed bed({.idle_mode = IdleMode::kInterrupt});
  ASSERT_TRUE(bed.gateway()
                  .Apply("ports: [{name: a, tap: {}}]\n"
                         "knobs: [{knob: idle_longest_sleep, value: 2ms}]")
                  .ok());
  const auto wakes = [&](WakeCause cause) {
    uint64_t sum = 0;
    const ledger::Snapshot snapshot = bed.gateway().TakeSnapshot();
    for (const ledger::SlotSnapshot& slot : snapshot.slots) {
      if (slot.identity().kind == ledger::SlotKind::kWorker)
        sum += slot.worker().wakes[cause].Get();
    }
    return sum;
  };
  EXPECT_TRUE(Eventually([&] { return wakes(WakeCause::kTimer) >= 50; }));
  EXPECT_LE(wakes(WakeCause::kSpurious), 2U);
}

// Only a memory port's host can leave frames where they are.
using FullPeerTest = KindTest;
INSTANTIATE_TEST_SUITE_P(Kinds, FullPeerTest, ValuesIn(AllKinds()), KindName());

TEST_P(FullPeerTest, TheWorkerSleepsBesideAFullPeerAndSendsTheRestOnceThatReads) {
  TwoPorts ports(GetParam(), MemoryKind(), {.idle_mode = IdleMode::kInterrupt});
  // One more waits in the port than fit into the cable.
  constexpr uint32_t kFrames = MemoryHost::kRingPackets + 1;
  for (uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(ports.a().Send(RandomFrame(60, i)), 0);
    // The device of the other end has room for some hundreds.
    if (i % 256 == 0) {
      ASSERT_TRUE(Eventually([&] { return ports.gateway().Received("a") == i + 1; }));
    }
  }
  ASSERT_TRUE(Eventually([&] { return ports.gateway().Received("a") == kFrames; }));
  ExpectAsleep(ports.gateway());
  for (uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(ports.b().Receive(), RandomFrame(60, i)) << i;
  }
}

TEST_P(FullPeerTest, ABroadcastStormIsDroppedByNameAndTheWorkerSleepsBetweenItsFrames) {
  TwoPorts ports(GetParam(), MemoryKind(), {.idle_mode = IdleMode::kInterrupt});
  Bytes frame = RandomFrame(60, 1);
  std::fill_n(frame.begin(), 6, uint8_t{0xff});
  const auto dropped = [&] { return ports.gateway().Dropped("b", DropReason::kBacklogFull); };
  for (uint64_t sent = 0; dropped() == 0; ++sent) {
    ASSERT_LT(sent, 10'000U) << "a peer that reads nothing is full at some time";
    ASSERT_EQ(ports.a().Send(frame), 0);
    // The device of the other end has room for some hundreds.
    if (sent % 64 != 0) continue;
    ASSERT_TRUE(Eventually([&] { return ports.gateway().Received("a") == sent + 1; }));
  }
  constexpr uint64_t kStorm = 300;
  const uint64_t dropped_before = dropped();
  const uint64_t turns_before = ports.gateway().Count(WorkerCounter::kIterations);
  for (uint64_t i = 0; i < kStorm; ++i) {
    ASSERT_EQ(ports.a().Send(frame), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(Eventually([&] { return dropped() == dropped_before + kStorm; }));
  // A worker that does not sleep makes thousands in a millisecond.
  EXPECT_LT(ports.gateway().Count(WorkerCounter::kIterations) - turns_before, 100 * kStorm);
  while (ports.b().Receive(std::chrono::milliseconds(100)).has_value()) {
  }
}

// A memory port's host can send what no device takes.
using RuntTest = KindTest;
INSTANTIATE_TEST_SUITE_P(Kinds, RuntTest, ValuesIn(KindsOnceOpen()), KindName());

TEST_P(RuntTest, RuntsAreDroppedByNameAndTheNextGoodFrameGoesOut) {
  TwoPorts ports(MemoryKind(), GetParam(), {.idle_mode = IdleMode::kInterrupt});
  for (std::size_t size = 0; size < 14; ++size) {
    ASSERT_EQ(ports.a().Send(Pattern(size)), 0);
    ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.a(), ports.b(), {RandomFrame(60, 1)}));
  }
  EXPECT_EQ(ports.gateway().Dropped("a", DropReason::kRunt), 14U);
}

// A memory port takes over the sender's buffers; the others need one for each frame.
using BufferTest = KindTest;
INSTANTIATE_TEST_SUITE_P(Kinds, BufferTest, ValuesIn(KindsWithDevice()), KindName());

// Of other kinds the kernel drops them: see below.
using BufferWaitTest = KindTest;
INSTANTIATE_TEST_SUITE_P(Kinds, BufferWaitTest, ValuesIn(KindsThatWaitForBuffers()), KindName());

TEST_P(BufferWaitTest, FramesThatFindNoBufferArriveWithoutNewTrafficOnceThereAreSome) {
  constexpr uint32_t kBuffers = 255;
  // What the pool has and some more, which wait in the device's queue.
  constexpr uint32_t kFrames = kBuffers + 100;
  TwoPorts ports(GetParam(), MemoryKind(), {.buffers = kBuffers});
  for (uint32_t i = 0; i < kFrames; ++i) ASSERT_EQ(ports.a().Send(RandomFrame(60, i)), 0);
  ASSERT_TRUE(Eventually([&] { return ports.gateway().Sent("b") == kBuffers; }));
  for (uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(ports.b().Receive(), RandomFrame(60, i)) << i;
  }
}

TEST_P(BufferTest, AfterTheBuffersWereExhaustedTrafficPassesAgain) {
  constexpr uint32_t kBuffers = 255;
  for (const IdleMode mode : {IdleMode::kPoll, IdleMode::kInterrupt}) {
    TwoPorts ports(GetParam(), MemoryKind(), {.idle_mode = mode, .buffers = kBuffers});
    const auto send = [&](uint32_t count) {
      for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(ports.a().Send(RandomFrame(60, i)), 0);
    };
    send(2 * kBuffers);
    // The kernel of AF_XDP drops at once what finds no buffer, all of a burst that is quicker than
    // the worker.
    ASSERT_TRUE(Eventually([&] {
      if (ports.gateway().Sent("b") > kBuffers / 2) return true;
      send(1);
      return false;
    }));
    while (ports.b().Receive(std::chrono::milliseconds(200)).has_value()) {
    }
    send(10);
    for (uint32_t i = 0; i < 10; ++i) ASSERT_EQ(ports.b().Receive(), RandomFrame(60, i)) << i;
  }
}

TEST_P(BufferTest, WhatTheKernelDropsWhileNothingIsReceivedIsToldAndOnlyGrows) {
  constexpr uint32_t kBuffers = 255;
  TwoPorts ports(GetParam(), MemoryKind(), {.buffers = kBuffers});
  const auto dropped = [&] {
    ports.gateway().gateway().Tick(/*devices_changed=*/false);
    return ports.gateway().Count("a", PortCounter::kKernelTxDropped) +
           ports.gateway().Count("a", PortCounter::kSocketDropped);
  };
  uint64_t before = dropped();
  for (int round = 0; round < 2; ++round) {
    // More than any queue holds; the kernel may say so.
    for (uint32_t i = 0; i < 5000; ++i) ports.a().Send(RandomFrame(60, i));
    const uint64_t after = dropped();
    EXPECT_GT(after, before);
    EXPECT_GE(dropped(), after);
    before = after;
  }
  while (ports.b().Receive(std::chrono::milliseconds(100)).has_value()) {
  }
}

}  // namespace
}  // namespace wakegate::testing
