#include "dataplane/trigger/trigger.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/trigger/trigger_set.h"

namespace wakegate {
namespace {

constexpr uint32_t kSlots = 200;

// A queue and the host that sends to it.
struct Queue {
  Queue() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    own = FileDescriptor(ends[0]);
    host = FileDescriptor(ends[1]);
  }
  void Send() const { EXPECT_EQ(write(host.get(), "x", 1), 1); }
  bool Receive() const {
    char byte;
    return read(own.get(), &byte, 1) == 1;
  }

  FileDescriptor own;
  FileDescriptor host;
};

class TriggerTest : public ::testing::TestWithParam<TriggerKind> {
 protected:
  void SetUp() override {
    trigger_ = set_.Get(GetParam());
    if (trigger_ == nullptr) GTEST_SKIP() << set_.ring_status();
  }
  bool Arm(uint32_t slot) { return trigger_->Arm(slot, queues_[slot].own.get(), ledger_); }
  // As a worker would: not unless memory says so.
  std::vector<uint32_t> Fired() {
    std::vector<uint32_t> fired;
    if (!trigger_->MayHaveFired()) return fired;
    trigger_->TakeFired([&](uint32_t slot) { fired.push_back(slot); });
    return fired;
  }

  ledger::RxQueueBlock ledger_ = {};
  ledger::WorkerBlock worker_ledger_ = {};
  std::vector<Queue> queues_ = std::vector<Queue>(8);
  TriggerSet set_{kSlots, worker_ledger_};
  Trigger* trigger_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Kinds, TriggerTest,
                         ::testing::Values(TriggerKind::kUring, TriggerKind::kSignal,
                                           TriggerKind::kEpoll),
                         [](const auto& test) { return std::string(TriggerKindName(test.param)); });

TEST_P(TriggerTest, FiresOnceForTheQueueThatHasAPacket) {
  ASSERT_TRUE(Arm(2));
  ASSERT_TRUE(Arm(5));
  EXPECT_TRUE(Fired().empty());
  queues_[5].Send();
  EXPECT_EQ(Fired(), std::vector<uint32_t>{5});
  queues_[5].Send();
  EXPECT_TRUE(Fired().empty());
}

TEST_P(TriggerTest, APacketThatCameBeforeItWasArmedIsNotMissed) {
  queues_[1].Send();
  const bool armed = Arm(1);
  EXPECT_TRUE(!armed || Fired() == std::vector<uint32_t>{1});
}

TEST_P(TriggerTest, DoesNotFireOnceDisarmed) {
  ASSERT_TRUE(Arm(1));
  trigger_->Disarm(1, ledger_);
  queues_[1].Send();
  EXPECT_TRUE(Fired().empty());
}

TEST_P(TriggerTest, APacketBeforeDisarmDoesNotFireTheNextWatch) {
  ASSERT_TRUE(Arm(1));
  queues_[1].Send();
  trigger_->Disarm(1, ledger_);
  ASSERT_TRUE(queues_[1].Receive());
  ASSERT_TRUE(Arm(1));
  EXPECT_TRUE(Fired().empty());
  queues_[1].Send();
  EXPECT_EQ(Fired(), std::vector<uint32_t>{1});
}

TEST_P(TriggerTest, NothingIsMissedOfWhatAnotherThreadSends) {
  constexpr int kPackets = 5'000;
  std::thread sender([this] {
    for (int i = 0; i < kPackets; ++i) {
      while (write(queues_[0].host.get(), "x", 1) != 1) std::this_thread::yield();
      if (i % 7 == 0) std::this_thread::yield();
      if (i % 1000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  bool armed = false;
  int received = 0;
  while (received < kPackets && std::chrono::steady_clock::now() < give_up) {
    if (armed) {
      armed = Fired().empty();
    } else if (queues_[0].Receive()) {
      ++received;
    } else {
      armed = Arm(0);
    }
  }
  sender.join();
  EXPECT_EQ(received, kPackets);
}

class SignalTriggerTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(trigger_, nullptr); }

  ledger::RxQueueBlock ledger_ = {};
  ledger::WorkerBlock worker_ledger_ = {};
  TriggerSet set_{kSlots, worker_ledger_};
  Trigger* trigger_ = set_.Get(TriggerKind::kSignal);
};

// Else a sender that is faster than the handler would keep the worker in it for ever.
TEST_F(SignalTriggerTest, TheFirstSignalEndsTheWatchBeforeTheWorkerLooks) {
  const Queue queue;
  for (int watch = 0; watch < 2; ++watch) {
    ASSERT_TRUE(trigger_->Arm(0, queue.own.get(), ledger_));
    ASSERT_NE(fcntl(queue.own.get(), F_GETFL) & O_ASYNC, 0);
    errno = ENOTTY;
    queue.Send();
    EXPECT_EQ(errno, ENOTTY) << "the handler leaves what it interrupts as it was";
    ASSERT_TRUE(trigger_->MayHaveFired());
    EXPECT_EQ(fcntl(queue.own.get(), F_GETFL) & (O_ASYNC | O_NONBLOCK), O_NONBLOCK);
    // Ended by the worker before it has looked: nothing of this watch shows in the next.
    trigger_->Disarm(0, ledger_);
    EXPECT_TRUE(queue.Receive());
    trigger_->TakeFired([](uint32_t slot) { ADD_FAILURE() << slot; });
  }
}

// Too many signals at a time: the kernel falls back to SIGIO, which names no queue.
TEST_F(SignalTriggerTest, AQueueWhoseSignalFoundNoRoomFiresAllTheSame) {
  const Queue full;
  const Queue other;
  ASSERT_TRUE(trigger_->Arm(0, full.own.get(), ledger_));
  ASSERT_TRUE(trigger_->Arm(1, other.own.get(), ledger_));

  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_SIGPENDING, &limit), 0);
  const rlimit few = {.rlim_cur = 8, .rlim_max = limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_SIGPENDING, &few), 0);
  // Signals wait while they are blocked, as they do while a process is stopped.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  for (int i = 0; i < 9; ++i) full.Send();
  other.Send();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  setrlimit(RLIMIT_SIGPENDING, &limit);

  std::vector<uint32_t> fired;
  ASSERT_TRUE(trigger_->MayHaveFired());
  trigger_->TakeFired([&](uint32_t slot) { fired.push_back(slot); });
  EXPECT_EQ(fired, (std::vector<uint32_t>{0, 1}));
}

}  // namespace
}  // namespace wakegate
