#include "gateway/config/validate.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gateway/config/text.h"

namespace wakegate {
namespace {

v1::GatewayConfig Parsed(const std::string& text) { return ParseConfig(text, "test").value(); }

absl::Status Validated(const std::string& text) { return Validate(Parsed(text)); }

// The text of an INVALID_ARGUMENT.
std::string Problem(const std::string& text) {
  const absl::Status status = Validated(text);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text << ": " << status;
  return std::string(status.message());
}

constexpr char kTwoTaps[] = "ports: [{name: a, tap: {queues: 2}}, {name: b, tap: {}}]\n";

TEST(ValidateTest, GoodConfigurationsAreGood) {
  EXPECT_TRUE(Validated("{}").ok());
  EXPECT_TRUE(Validated(R"(
ports:
- {name: tap0, mtu: 68, tap: {queues: 16}}
- {name: veth0, mtu: 65521, af_packet: {interface: "eth0@x", rx_ring_frames: 64}}
- {name: tap1, tap: {interface: tap0, network_namespace: blue}}
- {name: tap2, tap: {interface: tap0, network_namespace: /proc/4711/ns/net}}
- {name: 1-a_b.c, memory: {cable: c, queues: 2, ring_packets: 65536}}
- {name: fifteen-letters, memory: {cable: c, queues: 2}}
- {name: single, memory: {cable: other}}
- {name: nic, ethdev: {devargs: "0000:03:00.0", queues: 16, rx_descriptors: 32}}
- {name: nothing, ethdev: {devargs: "net_null0,size=64"}}
cross_connects: [{a: tap0, b: veth0}]
knobs:
- {knob: burst_size, port: tap0, value: 64}
- {knob: burst_size, port: tap0, queue: 15, value: 1}
)")
                  .ok());
}

TEST(ValidateTest, APortNeedsAKind) {
  EXPECT_EQ(Problem("ports: [{name: a}]"),
            "ports[0]: port \"a\" has no kind; give it tap, af_packet, memory, ethdev or af_xdp");
}

TEST(ValidateTest, ANetworkNamespaceIsANameOrAnAbsolutePath) {
  for (const char* place : {"a/b", ".", "..", "../blue", "a b", "a\\n", "./blue"}) {
    const std::string problem =
        Problem(absl::StrCat("ports: [{name: a, tap: {network_namespace: \"", place, "\"}}]"));
    EXPECT_NE(problem.find("no name under /run/netns and no absolute path"), std::string::npos)
        << problem;
  }
  EXPECT_EQ(Problem(absl::StrCat(
                "ports: [{name: a, tap: {network_namespace: ", std::string(256, 'x'), "}}]")),
            "ports[0].tap.network_namespace: has 256 bytes; it may have up to 255");
}

TEST(ValidateTest, AMacAddressIsOneOfADevice) {
  const auto config = [](const char* address) {
    return absl::StrCat("ports: [{name: a, tap: {mac_address: \"", address, "\"}}]");
  };
  for (const char* address : {"02:00:00:00:00:01", "AA:bb:CC:dd:EE:ff", "00:00:00:00:00:01"}) {
    EXPECT_TRUE(Validated(config(address)).ok()) << address;
  }
  for (const char* address : {"02:00:00:00:00", "02:00:00:00:00:01:02", "02-00-00-00-00-01",
                              "02:00:00:00:00:0g", "020000000001", "02:00:00:00:00:1 "}) {
    EXPECT_EQ(Problem(config(address)),
              absl::StrCat("ports[0].tap.mac_address: \"", address,
                           "\" is no MAC address; write it as 02:00:00:00:00:01"));
  }
  EXPECT_EQ(Problem(config("01:00:5e:00:00:01")),
            "ports[0].tap.mac_address: \"01:00:5e:00:00:01\" is a multicast address: its first "
            "byte is odd");
  EXPECT_EQ(Problem(config("00:00:00:00:00:00")),
            "ports[0].tap.mac_address: \"00:00:00:00:00:00\" is no address that a device can "
            "have");
}

TEST(ValidateTest, PortNamesAreShortAndPlain) {
  EXPECT_EQ(Problem("ports: [{tap: {}}]"),
            "ports[0].name: is empty; it may have 1 to 15 characters");
  EXPECT_EQ(Problem("ports: [{name: sixteen-letters1, tap: {}}]"),
            "ports[0].name: \"sixteen-letters1\" has 16 bytes; it may have 1 to 15");
  EXPECT_EQ(Problem("ports: [{name: \"tap 0\", tap: {}}]"),
            "ports[0].name: \"tap 0\" has a ' '; use letters, digits, '_', '-' and '.'");
  EXPECT_EQ(Problem("ports: [{name: \"a\\n\", tap: {}}]"),
            "ports[0].name: \"a\\n\" has a character that cannot be shown; use letters, digits, "
            "'_', '-' and '.'");
  EXPECT_EQ(Problem("ports: [{name: .., tap: {}}]"),
            "ports[0].name: \"..\" begins with '.'; begin with a letter or digit");
  for (const char* name : {".", "-a", "_a", "a/b", "tapé", "a%d"}) {
    Problem(absl::StrCat("ports: [{name: \"", name, "\", tap: {}}]"));
  }
}

TEST(ValidateTest, AHugeNameIsNotRepeated) {
  v1::GatewayConfig config;
  config.add_ports()->set_name(std::string(5 << 20, 'a'));
  const absl::Status status = Validate(config);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_LT(status.message().size(), 200U);
}

TEST(ValidateTest, NamesAreUnique) {
  EXPECT_EQ(Problem("ports: [{name: a, tap: {}}, {name: a, memory: {cable: c}}]"),
            "ports[1].name: a second port \"a\"");
}

TEST(ValidateTest, AnInterfaceBelongsToOnePort) {
  EXPECT_EQ(Problem("ports: [{name: a, tap: {}}, {name: b, af_packet: {interface: a}}]"),
            "ports[1].af_packet.interface: \"a\" is used by port \"a\" already");
  EXPECT_EQ(Problem("ports: [{name: x, tap: {interface: b}}, {name: b, tap: {}}]"),
            "ports[1].tap.interface: \"b\" is used by port \"x\" already");
  EXPECT_EQ(Problem("ports: [{name: x, tap: {interface: b, network_namespace: blue}}, "
                    "{name: b, tap: {network_namespace: blue}}]"),
            "ports[1].tap.interface: \"b\" is used by port \"x\" already");
}

TEST(ValidateTest, InterfaceNamesAreThoseThatLinuxTakes) {
  for (const char* name : {".", "..", "a/b", "a:b", "a b", "tap%d", "eth\\u00e9", "all", "default",
                           "sixteen-letters1"}) {
    const std::string problem =
        Problem(absl::StrCat("ports: [{name: a, tap: {interface: \"", name, "\"}}]"));
    EXPECT_EQ(problem.find("ports[0].tap.interface: "), 0U) << problem;
  }
  EXPECT_EQ(Problem("ports: [{name: all, tap: {}}]"),
            "ports[0].name: \"all\" is a name that Linux keeps for itself");
}

TEST(ValidateTest, NumbersStayWithinTheirRange) {
  EXPECT_EQ(Problem("ports: [{name: a, mtu: 67, tap: {}}]"),
            "ports[0].mtu: 67 is not from 68 to 65521, or 0 for the device's own");
  Problem("ports: [{name: a, mtu: 65522, tap: {}}]");
  EXPECT_EQ(Problem("ports: [{name: a, tap: {queues: 17}}]"),
            "ports[0].tap.queues: 17 is too many; use 1 to 16, or 0 for the default");
  Problem("ports: [{name: a, memory: {cable: c, queues: 4294967295}}]");
  for (const char* size : {"3", "32", "100", "131072", "2147483648", "4294967295"}) {
    EXPECT_EQ(Problem(absl::StrCat("ports: [{name: a, af_packet: {rx_ring_frames: ", size, "}}]")),
              absl::StrCat("ports[0].af_packet.rx_ring_frames: ", size,
                           " is not a power of two from 64 to 65536, or 0 for the default"));
    Problem(absl::StrCat("ports: [{name: a, af_packet: {tx_ring_frames: ", size, "}}]"));
    Problem(absl::StrCat("ports: [{name: a, memory: {cable: c, ring_packets: ", size, "}}]"));
  }
}

TEST(ValidateTest, AnAfXdpPortHasAModeASelectorAndRings) {
  const auto problem = [](const char* settings) {
    return Problem(absl::StrCat("ports: [{name: a, af_xdp: {", settings, "}}]"));
  };
  EXPECT_EQ(problem("mode: native"),
            "ports[0].af_xdp.mode: \"native\" is not auto, zero_copy, copy or generic");
  EXPECT_EQ(problem("selector: \"port=0\""),
            "ports[0].af_xdp.selector: \"port=0\" is no term; write ether_type=0x0806, "
            "protocol=89 or port=4789, or \"all\" alone");
  EXPECT_EQ(problem("tx_ring_frames: 100"),
            "ports[0].af_xdp.tx_ring_frames: 100 is not a power of two from 64 to 65536, or 0 for "
            "the default");
  EXPECT_EQ(problem("queues: 17").rfind("ports[0].af_xdp.queues: 17", 0), 0U);
  EXPECT_EQ(problem("interface: a/b").rfind("ports[0].af_xdp.interface: ", 0), 0U);
  EXPECT_EQ(problem("network_namespace: a/b").rfind("ports[0].af_xdp.network_namespace: ", 0), 0U);
}

TEST(ValidateTest, DevargsNameADevice) {
  EXPECT_EQ(Problem("ports: [{name: a, ethdev: {}}]"),
            "ports[0].ethdev.devargs: \"\" names no device; begin with it: \"0000:03:00.0\", "
            "\"net_memif0,role=client\"");
  for (const char* devargs :
       {",role=client", "bus=pci,addr=3", "/run/x.sock", "net null", "a\\tb", "net_nüll"}) {
    Problem(absl::StrCat("ports: [{name: a, ethdev: {devargs: \"", devargs, "\"}}]"));
  }
  EXPECT_EQ(Problem(absl::StrCat("ports: [{name: a, ethdev: {devargs: net_null",
                                 std::string(1017, '0'), "}}]")),
            "ports[0].ethdev.devargs: has 1025 bytes; it may have 1 to 1024");
  Problem(absl::StrCat("ports: [{name: a, ethdev: {devargs: ", std::string(64, 'a'), "}}]"));
  EXPECT_EQ(Problem("ports: [{name: a, ethdev: {devargs: net_null0, queues: 17}}]"),
            "ports[0].ethdev.queues: 17 is too many; use 1 to 16, or 0 for the default");
  EXPECT_EQ(Problem("ports: [{name: a, ethdev: {devargs: net_null0, rx_descriptors: 31}}]"),
            "ports[0].ethdev.rx_descriptors: 31 is not from 32 to 32768, or 0 for the default");
  Problem("ports: [{name: a, ethdev: {devargs: net_null0, tx_descriptors: 32769}}]");
}

TEST(ValidateTest, ADeviceOfDpdkBelongsToOnePort) {
  EXPECT_EQ(Problem("ports: [{name: a, ethdev: {devargs: \"net_null0,size=64\"}},"
                    "        {name: b, ethdev: {devargs: \"vdev:net_null0\"}}]"),
            "ports[1].ethdev.devargs: device \"net_null0\" is used by port \"a\" already");
  Problem(
      "ports: [{name: a, ethdev: {devargs: \"0000:0A:00.1\"}},"
      "        {name: b, ethdev: {devargs: \"0a:00.1,x=1\"}}]");
  EXPECT_TRUE(Validated("ports: [{name: a, ethdev: {devargs: net_null0}},"
                        "        {name: net_null0, tap: {}}]")
                  .ok());
}

TEST(ValidateTest, ACableHasTwoEndsAlike) {
  EXPECT_EQ(Problem("ports: [{name: a, memory: {}}]"),
            "ports[0].memory.cable: is empty; it may have 1 to 15 characters");
  EXPECT_EQ(Problem("ports: [{name: a, memory: {cable: c}}, {name: b, memory: {cable: c}},"
                    "        {name: d, memory: {cable: c}}]"),
            "ports[2].memory.cable: \"c\" has two ends already, ports \"a\" and \"b\"");
  EXPECT_EQ(Problem("ports: [{name: a, memory: {cable: c}},"
                    "        {name: b, memory: {cable: c, queues: 2}}]"),
            "ports[1].memory.queues: 2, but 1 at the other end of \"c\", port \"a\"; they must be "
            "the same");
}

TEST(ValidateTest, ACrossConnectHasTwoPortsOfItsOwn) {
  const std::string ports = kTwoTaps;
  EXPECT_EQ(Problem(ports + "cross_connects: [{a: a, b: tap9}]"),
            "cross_connects[0].b: no port \"tap9\"; known: a, b");
  EXPECT_EQ(Problem(ports + "cross_connects: [{a: a}]"),
            "cross_connects[0].b: no port \"\"; did you mean \"a\"?");
  EXPECT_EQ(Problem(ports + "cross_connects: [{a: a, b: a}]"),
            "cross_connects[0].b: \"a\" would be connected to itself");
  EXPECT_EQ(Problem(ports + "cross_connects: [{a: a, b: b}, {a: b, b: a}]"),
            "cross_connects[1].a: port \"b\" is in cross_connects[0] already; a port is in at most "
            "one");
}

TEST(ValidateTest, KnobsAreKnownAndInRangeAndSetOnce) {
  const std::string with = absl::StrCat(kTwoTaps, "knobs:\n");
  EXPECT_EQ(Problem(with + "- {knob: burstsize, port: a, value: 1}"),
            "knobs[0].knob: unknown knob \"burstsize\"; did you mean \"burst_size\"?");
  EXPECT_EQ(Problem(with + "- {knob: burst_size, port: a, value: 65}"),
            "knobs[0].value: \"65\" is not a whole number from 1 to 64 packets");
  EXPECT_EQ(Problem(with + "- {knob: burst_size, port: c, value: 1}"),
            "knobs[0].port: no port \"c\"; did you mean \"a\"?");
  EXPECT_EQ(Problem(with + "- {knob: burst_size, port: a, queue: 2, value: 1}"),
            "knobs[0].queue: 2, but port \"a\" has queues 0 to 1");
  const std::string once = with + "- {knob: burst_size, port: a, queue: 0, value: 1}\n";
  EXPECT_EQ(Problem(once + "- {knob: burst_size, port: a, queue: 0, value: 2}"),
            "knobs[1]: burst_size of port \"a\", queue 0 is set twice");
  EXPECT_TRUE(Validated(once + "- {knob: burst_size, port: a, value: 2}").ok());
}

TEST(ValidateTest, KnobsOfWorkersHaveNoPort) {
  const std::string with = absl::StrCat(kTwoTaps, "knobs:\n");
  const std::string all = with + "- {knob: idle_policy, value: poll}\n";
  EXPECT_TRUE(Validated(all + "- {knob: idle_policy, worker: 0, value: adaptive}\n"
                              "- {knob: idle_policy, worker: 127, value: interrupt}\n"
                              "- {knob: idle_spin, value: 0.1ms}")
                  .ok());
  EXPECT_EQ(Problem(with + "- {knob: idle_policy, port: a, value: poll}"),
            "knobs[0].port: idle_policy is a knob of workers; leave the port out, and name a "
            "worker, or none for all");
  EXPECT_EQ(Problem(with + "- {knob: idle_policy, queue: 0, value: poll}"),
            "knobs[0].queue: idle_policy is a knob of workers; leave the queue out, and name a "
            "worker, or none for all");
  EXPECT_EQ(Problem(with + "- {knob: idle_policy, worker: 128, value: poll}"),
            "knobs[0].worker: 128 is not from 0 to 127");
  EXPECT_EQ(Problem(with + "- {knob: idle_spin, value: 11ms}"),
            "knobs[0].value: \"11ms\" is not a time from 0us to 10ms, such as \"50us\"");
  EXPECT_EQ(Problem(all + "- {knob: idle_policy, value: poll}"),
            "knobs[1]: idle_policy of all workers is set twice");
  const std::string one = with + "- {knob: idle_policy, worker: 1, value: poll}\n";
  EXPECT_EQ(Problem(one + "- {knob: idle_policy, worker: 1, value: adaptive}"),
            "knobs[1]: idle_policy of worker 1 is set twice");
}

TEST(ValidateTest, KnobsOfPortsHaveNoWorker) {
  const std::string with = absl::StrCat(kTwoTaps, "knobs:\n");
  EXPECT_EQ(Problem(with + "- {knob: burst_size, port: a, worker: 0, value: 1}"),
            "knobs[0].worker: burst_size is a knob of ports; leave the worker out");
  EXPECT_EQ(Problem(with + "- {knob: burst_size, value: 1}"),
            "knobs[0].port: burst_size is a knob of ports; name one");
}

TEST(ValidateTest, KnobsOfOnePortKindAreForItAlone) {
  const std::string with = "ports: [{name: a, tap: {}}, {name: m, memory: {cable: c}}]\nknobs:\n";
  EXPECT_TRUE(Validated(with + "- {knob: rx_trigger, port: a, value: epoll}").ok());
  EXPECT_EQ(Problem(with + "- {knob: rx_trigger, port: m, value: epoll}"),
            "knobs[0].port: rx_trigger is a knob of ports of kind tap, but port \"m\" is of kind "
            "memory");
}

TEST(ValidateWorkersTest, AllThatKnobsNameAreThere) {
  const auto problem = [](const std::string& knob, uint32_t workers) {
    const absl::Status status =
        ValidateWorkers(Parsed(absl::StrCat(kTwoTaps, "knobs:\n- ", knob)), workers);
    EXPECT_TRUE(status.ok() || absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  };
  const std::string of_one = "{knob: idle_policy, worker: 2, value: poll}";
  EXPECT_EQ(problem(of_one, 3), "");
  EXPECT_EQ(problem(of_one, 2), "knobs[0].worker: 2, but the data plane has workers 0 to 1");
  EXPECT_EQ(problem(of_one, 1), "knobs[0].worker: 2, but the data plane has worker 0 alone");
  EXPECT_EQ(problem("{knob: worker, port: a, value: 1}", 2), "");
  EXPECT_EQ(problem("{knob: worker, port: a, value: 2}", 2),
            "knobs[0].value: 2, but the data plane has workers 0 to 1");
  EXPECT_EQ(problem("{knob: worker, port: a, value: auto}", 1), "");
  EXPECT_EQ(problem("{knob: burst_size, port: a, value: 9}", 1), "");
}

v1::GatewayConfig Taps(int ports, uint32_t queues) {
  v1::GatewayConfig config;
  for (int i = 0; i < ports; ++i) {
    v1::Port& port = *config.add_ports();
    port.set_name(absl::StrCat("tap", i));
    port.mutable_tap()->set_queues(queues);
  }
  return config;
}

TEST(ValidateTest, LimitsAreResourceExhausted) {
  EXPECT_TRUE(Validate(Taps(kMaxPorts, 3)).ok());
  EXPECT_EQ(Validate(Taps(kMaxPorts + 1, 1)),
            absl::ResourceExhaustedError("ports: 257 of them; at most 256 fit"));
  EXPECT_EQ(
      Validate(Taps(kMaxPorts, 4)),
      absl::ResourceExhaustedError("queue pairs of all ports: 1024 of them; at most 768 fit"));
  v1::GatewayConfig many;
  for (int i = 0; i < 1'000'000; ++i) many.add_knobs();
  EXPECT_EQ(Validate(many).code(), absl::StatusCode::kResourceExhausted);
  many.Clear();
  for (int i = 0; i <= kMaxCrossConnects; ++i) many.add_cross_connects();
  EXPECT_EQ(Validate(many).code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace wakegate
