#include <gtest/gtest.h>
#include <poll.h>
#include <rte_cycles.h>

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "dataplane/ports/memory/cable.h"
#include "dataplane/ports/memory/port.h"
#include "dataplane/ports/memory/rx_queue.h"
#include "dataplane/ports/memory/tx_queue.h"
#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::FlushCause;
using ledger::RxCounter;
using ledger::TxCounter;
using ledger::TxLevel;

constexpr uint32_t kRingPackets = 64;
constexpr uint32_t kBacklogPackets = 16;

bool IsReadable(int fd, int timeout_milliseconds = 0) {
  pollfd poll_fd = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&poll_fd, 1, timeout_milliseconds) == 1;
}

// The two ends of a cable: a transmit queue at one, a receive queue at the other.
class MemoryQueuesTest : public ::testing::Test {
 protected:
  MemoryQueuesTest() { UseFlushInterval(0); }

  void UseFlushInterval(Tsc interval) {
    tx_ = std::make_unique<MemoryTxQueue>(sender_->outgoing(0), sender_->peer_plugged(),
                                          kBacklogPackets, FlushPolicy(interval, kMaxBurst),
                                          tx_ledger_);
  }
  void Send(uint32_t count, Tsc now = 0) {
    Batch batch;
    for (uint32_t i = 0; i < count; ++i) {
      batch.Append(testing::MakePacket(pool_.get(), testing::Pattern(64, next_++)));
    }
    tx_->Send(batch, now);
    EXPECT_TRUE(batch.empty());
  }
  // Checks that packets come in the order they were sent in.
  uint32_t Receive(uint32_t limit = kMaxBurst) {
    Batch batch(limit);
    last_result_ = rx_.Receive(batch);
    for (rte_mbuf* packet : batch.packets()) {
      EXPECT_EQ(testing::BytesOf(*packet), testing::Pattern(64, expected_++));
      rte_pktmbuf_free(packet);
    }
    return batch.size();
  }
  uint64_t Count(TxCounter counter) const { return tx_ledger_.counters[counter].Get(); }

  testing::PoolForTest pool_;
  CableRegistry cables_;
  std::unique_ptr<CableEnd> sender_ = *cables_.Plug("cable", 1, kRingPackets);
  std::unique_ptr<CableEnd> receiver_ = *cables_.Plug("cable", 1, kRingPackets);
  ledger::RxQueueBlock rx_ledger_ = {};
  ledger::TxQueueBlock tx_ledger_ = {};
  MemoryRxQueue rx_{receiver_->incoming(0), rx_ledger_};
  std::unique_ptr<MemoryTxQueue> tx_;
  RxResult last_result_ = RxResult::kDrained;
  uint32_t next_ = 0;
  uint32_t expected_ = 0;
};

TEST_F(MemoryQueuesTest, AFullBurstIsNotTakenForADrainedQueue) {
  Send(33);
  EXPECT_EQ(Receive(32), 32U);
  EXPECT_EQ(last_result_, RxResult::kMore);
  EXPECT_EQ(Receive(32), 1U);
  EXPECT_EQ(last_result_, RxResult::kDrained);
  EXPECT_EQ(rx_ledger_.counters[RxCounter::kPackets].Get(), 33U);
  EXPECT_EQ(rx_ledger_.counters[RxCounter::kBytes].Get(), 33U * 64);
}

TEST_F(MemoryQueuesTest, TheReadyWordTellsWhetherThereIsAPacket) {
  EXPECT_FALSE(rx_.ready_word().IsReady());
  Send(2);
  EXPECT_TRUE(rx_.ready_word().IsReady());
  Receive();
  EXPECT_FALSE(rx_.ready_word().IsReady());
}

TEST_F(MemoryQueuesTest, ASleepingReceiverIsKickedOnceAndAnAwakeOneNever) {
  Send(1);
  EXPECT_EQ(tx_->Flush(0).state, TxResult::State::kIdle);
  EXPECT_EQ(Count(TxCounter::kKicksSent), 0U);
  EXPECT_EQ(Count(TxCounter::kKicksNotNeeded), 1U);
  Receive();

  ASSERT_TRUE(rx_.Arm());
  Send(1);
  EXPECT_FALSE(IsReadable(rx_.wait_fd())) << "the kick is Flush's";
  tx_->Flush(0);
  EXPECT_TRUE(IsReadable(rx_.wait_fd()));
  EXPECT_EQ(Count(TxCounter::kKicksSent), 1U);
  rx_.Disarm();
  EXPECT_FALSE(IsReadable(rx_.wait_fd()));
  Receive();
}

TEST_F(MemoryQueuesTest, ArmSaysNoBesideAPacket) {
  Send(1);
  EXPECT_FALSE(rx_.Arm());
  EXPECT_EQ(rx_ledger_.counters[RxCounter::kArmRaces].Get(), 1U);
  tx_->Flush(0);
  EXPECT_EQ(Count(TxCounter::kKicksSent), 0U) << "not armed, so no kick is needed";
  Receive();
}

TEST_F(MemoryQueuesTest, KicksWithinTheFlushIntervalAreMerged) {
  UseFlushInterval(1000);
  ASSERT_TRUE(rx_.Arm());
  Send(1, 5000);
  EXPECT_EQ(tx_->Flush(5000).state, TxResult::State::kIdle) << "the first leaves at once";
  rx_.Disarm();
  Receive();
  ASSERT_TRUE(rx_.Arm());

  Send(1, 5100);
  TxResult result = tx_->Flush(5100);
  EXPECT_EQ(result.state, TxResult::State::kAt);
  EXPECT_EQ(result.at, 6000U);
  Send(1, 5200);
  tx_->Flush(5200);
  EXPECT_FALSE(IsReadable(rx_.wait_fd()));
  EXPECT_EQ(tx_->Flush(6000).state, TxResult::State::kIdle);
  EXPECT_TRUE(IsReadable(rx_.wait_fd()));
  EXPECT_EQ(Count(TxCounter::kKicksSent), 2U);
  EXPECT_EQ(Count(TxCounter::kKicksMerged), 2U);
  EXPECT_EQ(tx_ledger_.flushes[FlushCause::kTimer].Get(), 1U);
  rx_.Disarm();
  Receive();
}

TEST_F(MemoryQueuesTest, WhatTheRingHasNoRoomForWaitsThenIsDroppedByName) {
  Send(kMaxBurst);
  Send(kBacklogPackets + 5);
  EXPECT_EQ(Count(TxCounter::kPackets), kRingPackets);
  EXPECT_EQ(tx_ledger_.levels[TxLevel::kHeld].Get(), kBacklogPackets);
  EXPECT_EQ(tx_ledger_.drops[DropReason::kBacklogFull].Get(), 5U);
  EXPECT_EQ(tx_->Flush(0).state, TxResult::State::kBlocked);

  ASSERT_TRUE(tx_->Arm());
  EXPECT_EQ(Receive(), kMaxBurst);
  EXPECT_TRUE(IsReadable(tx_->wait_fd())) << "there is room again";
  tx_->Disarm();
  EXPECT_EQ(tx_->Flush(0).state, TxResult::State::kIdle);
  EXPECT_EQ(tx_ledger_.levels[TxLevel::kHeld].Get(), 0U);
  EXPECT_EQ(Receive(), kBacklogPackets);
}

TEST_F(MemoryQueuesTest, ARingOverfilledWhileTheReceiverSleepsStillWakesIt) {
  UseFlushInterval(1'000'000);
  Send(1, 1'000'000);
  tx_->Flush(1'000'000);
  Receive();
  ASSERT_TRUE(rx_.Arm());
  Send(kMaxBurst, 1'000'001);
  Send(1, 1'000'001);
  EXPECT_EQ(tx_->Flush(1'000'001).state, TxResult::State::kBlocked);
  EXPECT_TRUE(IsReadable(rx_.wait_fd()));
  rx_.Disarm();
  Receive();
  tx_->DropHeld(DropReason::kPortRemoved);
}

TEST_F(MemoryQueuesTest, WithNobodyAtTheOtherEndPacketsAreDroppedByName) {
  receiver_->SetPlugged(false);
  Send(3);
  EXPECT_EQ(tx_ledger_.drops[DropReason::kLinkDown].Get(), 3U);
  EXPECT_EQ(tx_->Flush(0).state, TxResult::State::kIdle);
}

// A ring that makes something happen before its call number `moment`.
class InterruptedRing {
 public:
  InterruptedRing(MemoryRing& ring, int moment, std::function<void()> interruption)
      : ring_(ring), moment_(moment), interruption_(std::move(interruption)) {}

  uint32_t Get(std::span<rte_mbuf*> packets) { return Call().Get(packets); }
  bool HasPackets() { return Call().HasPackets(); }
  Doorbell& packets_bell() { return Call().packets_bell(); }
  ReadyWord ready_word() const { return ring_.ready_word(); }
  int calls() const { return calls_; }

 private:
  MemoryRing& Call() {
    if (calls_++ == moment_) interruption_();
    return ring_;
  }

  MemoryRing& ring_;
  const int moment_;
  std::function<void()> interruption_;
  int calls_ = 0;
};

// The packet comes before, between and after the steps of Arm. Swap two of them, and this fails.
TEST_F(MemoryQueuesTest, APacketThatComesWhileTheReceiverArmsWakesItOrStopsIt) {
  constexpr int kMoments = 3;
  for (int moment = 0; moment < kMoments; ++moment) {
    InterruptedRing ring(receiver_->incoming(0), moment, [this] {
      Send(1);
      tx_->Flush(0);
    });
    BasicMemoryRxQueue<InterruptedRing> queue(ring, rx_ledger_);
    const bool armed = queue.Arm();
    ASSERT_GE(ring.calls(), 2) << "Arm arms and looks";
    while (ring.calls() <= moment) ring.HasPackets();
    EXPECT_TRUE(!armed || IsReadable(rx_.wait_fd()))
        << "asleep beside a packet that came before step " << moment;
    queue.Disarm();
    EXPECT_EQ(Receive(), 1U);
  }
}

// One packet at a time towards a receiver that sleeps between packets, on another thread.
TEST_F(MemoryQueuesTest, NoWakeupIsLostBetweenTwoThreads) {
  constexpr uint32_t kPackets = 50'000;
  std::atomic<uint32_t> received = 0;
  std::atomic<bool> lost = false;
  std::thread receiver([&] {
    while (received < kPackets && !lost) {
      if (rx_.Arm()) {
        lost = !IsReadable(rx_.wait_fd(), /*timeout_milliseconds=*/5'000);
        rx_.Disarm();
      }
      received += Receive(1);
    }
  });
  for (uint32_t sent = 0; sent < kPackets && !lost; ++sent) {
    while (received < sent && !lost) {
    }
    for (uint32_t spin = 0; spin < sent % 257; ++spin) rte_rdtsc();
    Send(1);
    tx_->Flush(0);
  }
  receiver.join();
  EXPECT_FALSE(lost) << "asleep beside packet " << received;
  while (Receive() != 0) {
  }
}

TEST(CableRegistryTest, ACableHasTwoEndsOfOneSize) {
  testing::StartEalForTest();
  CableRegistry cables;
  auto first = cables.Plug("cable", 2, 64);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE((*first)->peer_plugged());
  EXPECT_EQ(cables.Plug("cable", 1, 64).status().code(), absl::StatusCode::kInvalidArgument);
  auto second = cables.Plug("cable", 2, 64);
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE((*first)->peer_plugged());
  EXPECT_EQ(cables.Plug("cable", 2, 64).status().code(), absl::StatusCode::kAlreadyExists);
  second->reset();
  EXPECT_TRUE(cables.Plug("cable", 2, 64).ok()) << "an end that was let go can be taken again";
  first->reset();
  EXPECT_TRUE(cables.Plug("cable", 1, 128).ok()) << "a cable nobody holds is gone";
}

}  // namespace
}  // namespace wakegate
