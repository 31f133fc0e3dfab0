#include "gateway/config/defaults.h"

#include <gtest/gtest.h>

#include "gateway/config/text.h"

namespace wakegate {
namespace {

v1::GatewayConfig Parsed(const char* text) { return ParseConfig(text, "test").value(); }

TEST(WithDefaultsTest, EveryDefaultIsFilledInAndListsAreSorted) {
  const v1::GatewayConfig config = WithDefaults(Parsed(R"(
ports:
- {name: veth0, af_packet: {}}
- {name: tap0, tap: {}}
- {name: m0, memory: {cable: c}}
- {name: m1, memory: {cable: c}}
- {name: e0, ethdev: {devargs: "net_null0,size=64"}}
cross_connects:
- {a: veth0, b: m1}
- {a: tap0, b: m0}
)"));
  EXPECT_EQ(ToYaml(config), R"(ports:
  - name: e0
    admin_up: true
    ethdev:
      devargs: "net_null0,size=64"
      queues: 1
      rx_descriptors: 1024
      tx_descriptors: 1024
  - name: m0
    admin_up: true
    memory:
      cable: c
      queues: 1
      ring_packets: 1024
  - name: m1
    admin_up: true
    memory:
      cable: c
      queues: 1
      ring_packets: 1024
  - name: tap0
    admin_up: true
    tap:
      interface: tap0
      queues: 1
      persistent: true
  - name: veth0
    admin_up: true
    af_packet:
      interface: veth0
      rx_ring_frames: 2048
      tx_ring_frames: 1024
cross_connects:
  - a: m0
    b: tap0
  - a: m1
    b: veth0
)");
  EXPECT_EQ(ToYaml(WithDefaults(config)), ToYaml(config));
}

TEST(WithDefaultsTest, WhatWasGivenStays) {
  const char* text = R"(ports:
  - name: a
    admin_up: false
    mtu: 9000
    tap:
      interface: b
      queues: 3
      persistent: false
)";
  EXPECT_EQ(ToYaml(WithDefaults(Parsed(text))), text);
}

TEST(WithDefaultsTest, KnobSettingsThatChangeNothingAreDropped) {
  const v1::GatewayConfig config = WithDefaults(Parsed(R"(
ports: [{name: a, tap: {queues: 3}}, {name: b, tap: {queues: 3}}]
knobs:
- {knob: burst_size, port: a, queue: 1, value: 32}  # Not the port's 16: stays.
- {knob: burst_size, port: a, queue: 0, value: 16}  # The port's.
- {knob: burst_size, port: a, value: 16}
- {knob: burst_size, port: b, value: 32}            # The default.
- {knob: burst_size, port: b, queue: 2, value: 32}  # The default.
)"));
  ASSERT_EQ(config.knobs_size(), 2);
  EXPECT_FALSE(config.knobs(0).has_queue());
  EXPECT_EQ(config.knobs(0).port(), "a");
  EXPECT_EQ(config.knobs(1).queue(), 1U);
  EXPECT_EQ(config.knobs(1).value(), "32");
  EXPECT_EQ(ToYaml(WithDefaults(config)), ToYaml(config));
}

TEST(WithDefaultsTest, SettingsOfWorkersThatChangeNothingAreDropped) {
  const v1::GatewayConfig config = WithDefaults(Parsed(R"(
knobs:
- {knob: idle_policy, worker: 1, value: adaptive}  # Not that of all: stays.
- {knob: idle_policy, worker: 0, value: poll}      # That of all.
- {knob: idle_policy, value: poll}
- {knob: idle_spin, value: 0.05ms}                 # The default.
- {knob: idle_longest_sleep, value: 0.2s}
)"));
  EXPECT_EQ(ToYaml(config),
            "knobs:\n"
            "  - knob: idle_longest_sleep\n    value: \"200ms\"\n"
            "  - knob: idle_policy\n    value: poll\n"
            "  - knob: idle_policy\n    value: adaptive\n    worker: 1\n");
  EXPECT_EQ(ToYaml(WithDefaults(config)), ToYaml(config));
}

TEST(PortPropertiesTest, FollowTheKind) {
  const v1::GatewayConfig config = WithDefaults(Parsed(
      "ports: [{name: a, tap: {queues: 3}}, {name: b, af_packet: {}}, {name: c, memory: {}}]"));
  EXPECT_EQ(QueueCount(config.ports(0)), 3U);
  EXPECT_EQ(QueueCount(config.ports(1)), 1U);
  EXPECT_EQ(QueueCount(config.ports(2)), 1U);
  EXPECT_STREQ(KindName(config.ports(0)), "tap");
  EXPECT_STREQ(KindName(config.ports(1)), "af_packet");
  EXPECT_STREQ(KindName(config.ports(2)), "memory");
  EXPECT_EQ(InterfaceName(config.ports(0)), "a");
  EXPECT_EQ(InterfaceName(config.ports(1)), "b");
  EXPECT_EQ(InterfaceName(config.ports(2)), "");
}

}  // namespace
}  // namespace wakegate
