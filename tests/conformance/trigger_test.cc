// Every receive trigger of a tap, in every idle mode.
#include <chrono>
#include <thread>

#include "gateway/testing/eventually.h"
#include "tests/conformance/conformance_test.h"
#include "tests/conformance/traffic.h"

namespace wakegate::testing {
namespace {

using ledger::SystemCall;
using ledger::WakeCause;

const std::string kTriggers[] = {"auto", "io_uring", "signal", "epoll", "none"};

class TapPair : public ::testing::Test {
 protected:
  explicit TapPair(IdleMode mode) : ports_(TapKind(), TapKind(), {.idle_mode = mode}) {}
  void SetTrigger(const std::string& trigger) {
    for (const char* port : {"a", "b"}) ports_.bed().settings(port).knobs["rx_trigger"] = trigger;
    ports_.bed().Apply();
  }
  // What `value` gives of the counters of port a's receive queue.
  template <class Value>
  uint64_t Count(Value&& value) {
    const ledger::Snapshot snapshot = ports_.gateway().TakeSnapshot();
    for (const ledger::SlotSnapshot& slot : snapshot.slots) {
      if (slot.identity().kind == ledger::SlotKind::kRxQueue &&
          std::string(slot.identity().port) == "a") {
        return value(slot.rx());
      }
    }
    ADD_FAILURE() << "no queue";
    return 0;
  }
  uint64_t Arms() {
    return Count([](const auto& rx) { return rx.counters[ledger::RxCounter::kArms].Get(); });
  }
  uint64_t Reads() {
    return Count([](const auto& rx) { return rx.system_calls[SystemCall::kRead].Get(); });
  }
  uint64_t PacketWakes() {
    return Count([](const auto& rx) { return rx.wakes[WakeCause::kPacket].Get(); });
  }

  TwoPorts ports_;
};

class TriggerTest : public TapPair,
                    public ::testing::WithParamInterface<std::tuple<std::string, IdleMode>> {
 protected:
  TriggerTest() : TapPair(std::get<1>(GetParam())) { SetTrigger(std::get<0>(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Triggers, TriggerTest,
                         Combine(ValuesIn(kTriggers), Values(IdleMode::kPoll, IdleMode::kAdaptive,
                                                             IdleMode::kInterrupt)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" +
                                  IdleModeName(std::get<1>(test.param));
                         });

TEST_P(TriggerTest, SingleFramesBurstsAndOneMoreThanABurstAllArrive) {
  EXPECT_TRUE(ports_.gateway().PortStatus("a").queues(0).rx_trigger_text().empty())
      << "here the kernel has all of them";
  uint32_t number = 0;
  for (const uint32_t count : {1, 33, 1, 64, 65, 2, 1}) {
    std::vector<Bytes> frames;
    for (uint32_t i = 0; i < count; ++i) frames.push_back(RandomFrame(60 + i, ++number));
    ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports_.a(), ports_.b(), frames));
    // Long enough to be parked, and for the worker to sleep.
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
}

TEST_P(TriggerTest, AStreamPassesInOrderWhileTheTriggerChanges) {
  Traffic traffic(ports_.a(), ports_.b());
  for (const std::string& trigger : kTriggers) {
    SetTrigger(trigger);
    ASSERT_TRUE(traffic.Flows()) << trigger;
  }
  traffic.Stop();
  // The tap of a worker that does not get to run for long is full.
  ports_.gateway().gateway().Tick(/*devices_changed=*/false);
  EXPECT_EQ(traffic.received() + ports_.gateway().Count("a", ledger::PortCounter::kKernelTxDropped),
            traffic.sent());
}

class PollingTest : public TapPair, public ::testing::WithParamInterface<std::string> {
 protected:
  PollingTest() : TapPair(IdleMode::kPoll) { SetTrigger(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Triggers, PollingTest, ValuesIn(kTriggers),
                         [](const auto& test) { return test.param; });

// While a worker polls, an idle tap with a trigger takes no system call.
TEST_P(PollingTest, AnIdleTapThatNeverHadAPacketIsNotRead) {
  const bool polled = GetParam() == "none";
  ASSERT_TRUE(Eventually([&] { return polled || Arms() > 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const uint64_t before = Reads();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const uint64_t reads = Reads() - before;
  if (polled) {
    EXPECT_GT(reads, 0U);
  } else {
    EXPECT_EQ(reads, 0U);
    ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports_.a(), ports_.b(), {RandomFrame(60, 1)}));
    EXPECT_TRUE(Eventually([&] { return PacketWakes() == 1; }));
  }
}

}  // namespace
}  // namespace wakegate::testing
