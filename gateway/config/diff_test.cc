#include "gateway/config/diff.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/config/defaults.h"
#include "gateway/config/text.h"

namespace wakegate {
namespace {

using Strings = std::vector<std::string>;

v1::GatewayConfig Parsed(const std::string& text) { return ParseConfig(text, "test").value(); }

PortPlan Plan(const std::string& running, const std::string& desired) {
  return DiffPorts(WithDefaults(Parsed(running)), WithDefaults(Parsed(desired)));
}

// "~ port a: mtu 1500 -> 9000 (re-created)"
Strings Changes(const std::string& running, const std::string& desired) {
  Strings lines;
  for (const v1::Change& c : Diff(Parsed(running), Parsed(desired))) {
    switch (c.action()) {
      case v1::Change::ACTION_ADD:
        lines.push_back(absl::StrCat("+ ", c.object(), ": ", c.new_value()));
        break;
      case v1::Change::ACTION_REMOVE:
        lines.push_back(absl::StrCat("- ", c.object(), ": ", c.old_value()));
        break;
      default:
        lines.push_back(absl::StrCat("~ ", c.object(), ": ", c.field(), " ", c.old_value(), " -> ",
                                     c.new_value(), c.recreates_port() ? " (re-created)" : ""));
    }
  }
  return lines;
}

TEST(DiffPortsTest, EachPortIsInOneListAtMost) {
  const PortPlan plan = Plan(
      "ports: [{name: gone, tap: {}}, {name: same, tap: {}}, {name: kind, tap: {}},"
      "        {name: within, tap: {}}, {name: mtu, tap: {}}, {name: down, tap: {}}]",
      "ports: [{name: new, tap: {}}, {name: same, tap: {queues: 1}}, {name: kind, af_packet: {}},"
      "        {name: within, tap: {queues: 2}, mtu: 9000}, {name: mtu, mtu: 9000, tap: {}},"
      "        {name: down, admin_up: false, tap: {}}]");
  EXPECT_EQ(plan.remove, Strings{"gone"});
  EXPECT_EQ(plan.add, Strings{"new"});
  EXPECT_EQ(plan.recreate, (Strings{"kind", "within"}));
  EXPECT_EQ(plan.modify, (Strings{"down", "mtu"}));
}

TEST(DiffTest, TheSameMeaningIsNoChange) {
  EXPECT_EQ(Changes("ports: [{name: a, tap: {}}, {name: b, tap: {}}]\n"
                    "cross_connects: [{a: a, b: b}]\n",
                    "ports: [{name: b, admin_up: true, tap: {interface: b}}, {name: a, tap: {}}]\n"
                    "cross_connects: [{a: b, b: a}]\n"
                    "knobs: [{knob: burst_size, port: a, value: 16},"
                    "        {knob: burst_size, port: a, queue: 0, value: 32}]\n"),
            Strings{});
}

TEST(DiffTest, AddedAndRemovedPortsSayWhatTheyAre) {
  EXPECT_EQ(Changes("ports: [{name: b, af_packet: {}}]", "ports: [{name: a, mtu: 9000, tap: {}}]"),
            (Strings{"+ port a: tap, interface a, queues 1, persistent true, admin_up true, "
                     "mtu 9000",
                     "- port b: af_packet, interface b, rx_ring_frames 2048, tx_ring_frames 1024, "
                     "admin_up true"}));
}

TEST(DiffTest, EveryChangedFieldIsListed) {
  EXPECT_EQ(
      Changes("ports: [{name: a, tap: {}}]",
              "ports: [{name: a, admin_up: false, mtu: 9000, promiscuous: true, "
              "tap: {interface: x, queues: 2, persistent: false}}]"),
      (Strings{"~ port a: admin_up true -> false", "~ port a: mtu as the device has it -> 9000",
               "~ port a: promiscuous false -> true", "~ port a: tap.interface a -> x (re-created)",
               "~ port a: tap.queues 1 -> 2 (re-created)",
               "~ port a: tap.persistent true -> false (re-created)"}));
  EXPECT_EQ(Changes("ports: [{name: a, tap: {}}]", "ports: [{name: a, memory: {cable: c}}]"),
            Strings{"~ port a: kind tap -> memory (re-created)"});
}

TEST(DiffTest, CrossConnectsComeAfterPorts) {
  const std::string ports = "ports: [{name: a, tap: {}}, {name: b, tap: {}}, {name: c, tap: {}}]\n";
  EXPECT_EQ(
      Changes(ports + "cross_connects: [{a: b, b: a}]", ports + "cross_connects: [{a: c, b: b}]"),
      (Strings{"- cross-connect a - b: ", "+ cross-connect b - c: "}));
}

TEST(DiffTest, KnobsAreComparedByTheValueThatHolds) {
  const std::string ports = "ports: [{name: a, tap: {queues: 2}}]\nknobs:\n";
  const std::string all_16 = ports + "- {knob: burst_size, port: a, value: 16}\n";
  EXPECT_EQ(Changes(ports, all_16), Strings{"~ knob burst_size of port a: value 32 -> 16"});
  EXPECT_EQ(Changes(all_16, ports), Strings{"~ knob burst_size of port a: value 16 -> 32"});
  EXPECT_EQ(Changes(all_16, all_16 + "- {knob: burst_size, port: a, queue: 1, value: 8}\n"),
            Strings{"~ knob burst_size of port a queue 1: value 16 -> 8"});
  EXPECT_EQ(Changes(all_16, ports + "- {knob: burst_size, port: a, queue: 0, value: 16}\n"),
            Strings{"~ knob burst_size of port a queue 1: value 16 -> 32"});
}

TEST(DiffTest, KnobsOfWorkersAreComparedByTheValueThatHolds) {
  const std::string all = "knobs:\n- {knob: idle_policy, value: poll}\n";
  const std::string one = "- {knob: idle_policy, worker: 1, value: interrupt}\n";
  EXPECT_EQ(Changes("{}", all),
            Strings{"~ knob idle_policy of all workers: value adaptive -> poll"});
  EXPECT_EQ(Changes(all, all + one),
            Strings{"~ knob idle_policy of worker 1: value poll -> interrupt"});
  EXPECT_EQ(Changes("knobs:\n" + one, all),
            (Strings{"~ knob idle_policy of all other workers: value adaptive -> poll",
                     "~ knob idle_policy of worker 1: value interrupt -> poll"}));
  EXPECT_EQ(Changes(all, all + "- {knob: idle_policy, worker: 0, value: poll}\n"), Strings{});
}

TEST(DiffTest, TheSameTimeInOtherWordsIsNoChange) {
  const std::string spin = "knobs: [{knob: idle_spin, value: ";
  EXPECT_EQ(Changes("{}", spin + "0.05ms}]"), Strings{});
  EXPECT_EQ(Changes(spin + "0.2ms}]", spin + "200us}]"), Strings{});
  EXPECT_EQ(Changes(spin + "0.2ms}]", spin + "0.3ms}]"),
            Strings{"~ knob idle_spin of all workers: value 200us -> 300us"});
}

TEST(DiffTest, KnobsOfARemovedPortGoWithIt) {
  const std::string with =
      "ports: [{name: a, tap: {}}]\n"
      "knobs: [{knob: burst_size, port: a, value: 16}]";
  EXPECT_EQ(Changes(with, "{}").size(), 1U);
  EXPECT_EQ(Changes("{}", with)[1], "~ knob burst_size of port a: value 32 -> 16");
}

TEST(DiffTest, TheMacAddressOfATapIsLive) {
  const v1::GatewayConfig running = *ParseConfig("ports: [{name: a, tap: {}}]", "test");
  const v1::GatewayConfig desired =
      *ParseConfig("ports: [{name: a, tap: {mac_address: \"02:00:00:00:00:01\"}}]", "test");
  const std::vector<v1::Change> changes = Diff(running, desired);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].field(), "tap.mac_address");
  EXPECT_EQ(changes[0].old_value(), "as the device has it");
  EXPECT_EQ(changes[0].new_value(), "02:00:00:00:00:01");
  EXPECT_FALSE(changes[0].recreates_port());
  const PortPlan plan = DiffPorts(WithDefaults(running), WithDefaults(desired));
  EXPECT_EQ(plan.modify, std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace wakegate
