// Queues change workers while traffic runs.
#include <string>

#include "tests/conformance/conformance_test.h"
#include "tests/conformance/traffic.h"

namespace wakegate::testing {
namespace {

using PlacementTest = ::testing::TestWithParam<std::tuple<Kind, IdleMode>>;
INSTANTIATE_TEST_SUITE_P(Kinds, PlacementTest,
                         Combine(ValuesIn(KindsOnceOpen()),
                                 Values(IdleMode::kPoll, IdleMode::kInterrupt)),
                         KindName());
using AddedPortTest = PlacementTest;
INSTANTIATE_TEST_SUITE_P(Kinds, AddedPortTest,
                         Combine(ValuesIn(AllKinds()),
                                 Values(IdleMode::kPoll, IdleMode::kInterrupt)),
                         KindName());

void Place(TwoPorts& ports, const std::string& port, uint32_t worker) {
  ports.bed().settings(port).knobs["worker"] = std::to_string(worker);
}

TEST_P(PlacementTest, QueuesMoveUnderTrafficAndNoPacketIsLostOrOvertaken) {
  const Kind& kind = std::get<0>(GetParam());
  TwoPorts ports(kind, kind, {.workers = 2, .idle_mode = std::get<1>(GetParam())});
  Traffic traffic(ports.a(), ports.b());
  for (uint32_t round = 0; round < 24; ++round) {
    // All four ways of placing two queues on two workers, from each to each.
    const uint32_t placement = round * 5 % 12;
    Place(ports, "a", placement & 1);
    Place(ports, "b", placement >> 1 & 1);
    ASSERT_NO_FATAL_FAILURE(ports.bed().Apply());
    EXPECT_EQ(ports.gateway().PortStatus("a").queues(0).rx_worker(), placement & 1);
    EXPECT_EQ(ports.gateway().PortStatus("b").queues(0).tx_worker(), placement >> 1 & 1);
    ASSERT_TRUE(traffic.Flows()) << round;
  }
  traffic.Stop();
  EXPECT_EQ(traffic.received(), traffic.sent());
}

TEST_P(AddedPortTest, APortThatIsAddedGoesWhereItIsPlaced) {
  const Kind& kind = std::get<0>(GetParam());
  TwoPorts ports(kind, kind, {.workers = 2, .idle_mode = std::get<1>(GetParam())});
  ports.bed().settings("b").configured = false;
  ASSERT_NO_FATAL_FAILURE(ports.bed().Apply());
  ports.bed().settings("b").configured = true;
  const uint32_t worker = ports.gateway().PortStatus("a").queues(0).rx_worker();
  Place(ports, "b", worker);
  ASSERT_NO_FATAL_FAILURE(ports.bed().Apply());
  EXPECT_EQ(ports.gateway().PortStatus("b").queues(0).rx_worker(), worker);
}

// Else each packet would be handed over, and a flood find the rings full.
TEST(AutomaticPlacementTest, ConnectedQueuesShareAWorkerAndPairsAreSpread) {
  GatewayForTest gateway({.workers = 2});
  ASSERT_TRUE(gateway
                  .Apply("ports:\n"
                         "  - {name: a, memory: {cable: a, queues: 2}}\n"
                         "  - {name: b, memory: {cable: b}}\n"
                         "  - {name: c, memory: {cable: c, queues: 2}}\n"
                         "  - {name: d, memory: {cable: d}}\n"
                         "cross_connects: [{a: a, b: c}, {a: d, b: b}]\n")
                  .ok());
  const auto worker = [&](const std::string& port, int queue) {
    return gateway.PortStatus(port).queues(queue).rx_worker();
  };
  EXPECT_NE(worker("a", 0), worker("a", 1));
  EXPECT_EQ(worker("c", 0), worker("a", 0));
  EXPECT_EQ(worker("c", 1), worker("a", 1));
  EXPECT_EQ(worker("d", 0), worker("b", 0));
}

// Whichever of the two comes first.
TEST(AutomaticPlacementTest, AQueueGoesWhereTheOneThatItIsConnectedToIsPlaced) {
  for (const char* placed : {"a", "b"}) {
    GatewayForTest gateway({.workers = 2});
    ASSERT_TRUE(gateway
                    .Apply(std::string("ports: [{name: a, memory: {cable: a}}, ") +
                           "{name: b, memory: {cable: b}}]\n" + "cross_connects: [{a: a, b: b}]\n" +
                           "knobs: [{knob: worker, port: " + placed + ", value: '1'}]")
                    .ok());
    EXPECT_EQ(gateway.PortStatus("a").queues(0).rx_worker(), 1U);
    EXPECT_EQ(gateway.PortStatus("b").queues(0).rx_worker(), 1U);
  }
}

TEST(PlacementErrorTest, AWorkerThatThereIsNotIsRefusedWithTheOnesThereAre) {
  TwoPorts ports(MemoryKind(), MemoryKind(), {.workers = 2});
  const absl::Status status = ports.gateway().Apply(
      "ports: [{name: a, memory: {cable: a}}]\n"
      "knobs: [{knob: worker, port: a, value: '2'}]");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("workers 0 to 1"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace wakegate::testing
