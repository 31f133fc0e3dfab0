#include "gateway/config/text.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.pb.h"
#include "wakegate/v1/stats.pb.h"
#include "wakegate/v1/tuning.pb.h"

namespace wakegate {
namespace {

constexpr char kAllFields[] = R"(ports:
  - name: tap0
    admin_up: false
    mtu: 9000
    promiscuous: true
    tap:
      interface: "tap-0"
      queues: 4
      persistent: false
  - name: veth0
    af_packet: {}
  - name: m1
    memory:
      cable: c
      ring_packets: 64
cross_connects:
  - a: tap0
    b: veth0
knobs:
  - knob: burst_size
    port: tap0
    queue: 0
    value: "16"
)";

v1::GatewayConfig Parsed(std::string_view text) {
  auto config = ParseConfig(text, "gateway.yaml");
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? *config : v1::GatewayConfig();
}

std::string ErrorOf(std::string_view text) {
  const auto config = ParseConfig(text, "gateway.yaml");
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << config.status();
  return std::string(config.status().message());
}

TEST(ParseConfigTest, EveryFieldIsRead) {
  const v1::GatewayConfig config = Parsed(kAllFields);
  ASSERT_EQ(config.ports_size(), 3);
  const v1::Port& tap0 = config.ports(0);
  EXPECT_EQ(tap0.name(), "tap0");
  EXPECT_TRUE(tap0.has_admin_up());
  EXPECT_FALSE(tap0.admin_up());
  EXPECT_EQ(tap0.mtu(), 9000U);
  EXPECT_TRUE(tap0.promiscuous());
  EXPECT_EQ(tap0.tap().interface(), "tap-0");
  EXPECT_EQ(tap0.tap().queues(), 4U);
  EXPECT_TRUE(tap0.tap().has_persistent());
  EXPECT_TRUE(config.ports(1).has_af_packet());
  EXPECT_FALSE(config.ports(1).has_admin_up());
  EXPECT_EQ(config.ports(2).memory().ring_packets(), 64U);
  EXPECT_EQ(config.cross_connects(0).b(), "veth0");
  EXPECT_TRUE(config.knobs(0).has_queue());
  EXPECT_EQ(config.knobs(0).value(), "16");
}

TEST(ParseConfigTest, WhatIsWrittenReadsBackTheSame) {
  const v1::GatewayConfig config = Parsed(kAllFields);
  EXPECT_EQ(Parsed(ToYaml(config)).SerializeAsString(), config.SerializeAsString());
  EXPECT_EQ(Parsed(ToJson(config)).SerializeAsString(), config.SerializeAsString());
}

TEST(ParseConfigTest, TheEmptyConfigurationMustBeWritten) {
  for (const char* text : {"{}", "# nothing\n{}\n", "ports:\n", "ports: []\n"}) {
    EXPECT_EQ(Parsed(text).ByteSizeLong(), 0U) << text;
  }
  for (const char* text :
       {"", "\n", " \n\t\n", "# nothing\n", "---\n", "null", "~", "--- # none\n"}) {
    EXPECT_EQ(ErrorOf(text), "gateway.yaml: is empty; to remove everything, say `ports: []`")
        << text;
  }
}

TEST(ParseMessageTest, NothingIsTheEmptyMessage) {
  for (const char* text : {"", "# nothing\n", "---\n", "{}"}) {
    v1::StreamStatsRequest request;
    EXPECT_TRUE(ParseMessage(text, "request", request).ok()) << text;
    EXPECT_EQ(request.ByteSizeLong(), 0U) << text;
  }
}

TEST(ParseConfigTest, AKeyWithNothingMeansTheMessageIsThere) {
  EXPECT_TRUE(Parsed("ports: [{name: a, tap: {}}]").ports(0).has_tap());
  EXPECT_TRUE(Parsed("ports:\n- name: a\n  tap:\n").ports(0).has_tap());
}

TEST(ParseConfigTest, TextMayLookLikeANumber) {
  EXPECT_EQ(Parsed("knobs: [{value: 32}]").knobs(0).value(), "32");
}

TEST(ParseConfigTest, SyntaxErrorsNameTheLine) {
  EXPECT_EQ(ErrorOf("ports:\n  - name: a\n - b\n"),
            "gateway.yaml:3: not YAML: end of map not found");
  EXPECT_EQ(ErrorOf("ports: [\n\n"), "gateway.yaml:3: not YAML: end of sequence flow not found");
  EXPECT_EQ(ErrorOf("ports: *nowhere\n"),
            "gateway.yaml:1: not YAML: the referenced anchor is not defined");
}

TEST(ParseConfigTest, UnknownFieldsNameTheKnownOnes) {
  EXPECT_EQ(ErrorOf("ports:\n  - name: a\n    driver: tap\n"),
            "gateway.yaml:3: ports[0]: unknown field \"driver\" in Port; known: name, admin_up, "
            "mtu, promiscuous, tap, af_packet, memory, ethdev, af_xdp");
  EXPECT_EQ(ErrorOf("prots: []\n"),
            "gateway.yaml:1: unknown field \"prots\" in GatewayConfig; did you mean \"ports\"?");
}

TEST(ParseConfigTest, WrongTypesSayWhatWasExpected) {
  EXPECT_EQ(ErrorOf("just text"),
            "gateway.yaml:1: expected fields of GatewayConfig, found a single value");
  EXPECT_EQ(ErrorOf("ports: tap0"), "gateway.yaml:1: ports: expected a list, found a single value");
  EXPECT_EQ(ErrorOf("ports:\n- tap0"),
            "gateway.yaml:2: ports[0]: expected fields of Port, found a single value");
  EXPECT_EQ(ErrorOf("ports: [{name: [a]}]"),
            "gateway.yaml:1: ports[0].name: expected a value, found a list");
  EXPECT_EQ(ErrorOf("ports: [{name: }]"),
            "gateway.yaml:1: ports[0].name: expected a value, found nothing");
  EXPECT_EQ(ErrorOf("ports: [{promiscuous: yes}]"),
            "gateway.yaml:1: ports[0].promiscuous: \"yes\" is not true or false");
  EXPECT_EQ(ErrorOf("ports: [{[a]: yes}]"),
            "gateway.yaml:1: ports[0]: expected the name of a field of Port, found a list");
}

TEST(ParseConfigTest, NumbersOutsideTheFieldsRangeAreRefused) {
  for (const char* number : {"4294967296", "-1", "1.5", "1e3", "0x10", "many", ""}) {
    EXPECT_EQ(ErrorOf(absl::StrCat("ports: [{mtu: \"", number, "\"}]")),
              absl::StrCat("gateway.yaml:1: ports[0].mtu: \"", number,
                           "\" is not a whole number from 0 to 4294967295"));
  }
}

TEST(ParseConfigTest, DuplicateKeysAreRefusedAtTheSecond) {
  EXPECT_EQ(ErrorOf("ports:\n- name: a\n  mtu: 1\n  name: b\n"),
            "gateway.yaml:4: ports[0].name is given twice");
}

TEST(ParseConfigTest, TwoKindsExcludeEachOther) {
  EXPECT_EQ(ErrorOf("ports:\n- name: a\n  tap: {}\n  af_packet: {}\n"),
            "gateway.yaml:4: ports[0]: tap and af_packet exclude each other");
}

TEST(ParseConfigTest, SeveralDocumentsAreRefused) {
  EXPECT_EQ(ErrorOf("ports: []\n---\nports: []\n"),
            "gateway.yaml:3: expected one YAML document, found 2 (separated by \"---\")");
}

TEST(ParseConfigTest, AliasesStandForWhatTheirAnchorHas) {
  const v1::GatewayConfig config =
      Parsed("ports:\n- {name: a, tap: &t {queues: 4}}\n- {name: b, tap: *t}\n");
  EXPECT_EQ(config.ports(1).tap().queues(), 4U);
}

TEST(ParseConfigTest, AnAliasBombIsRefused) {
  std::string text = "ports:\n- &p {name: \"" + std::string(1 << 20, 'a') + "\"}\n";
  for (int i = 0; i < 1000; ++i) text += "- *p\n";
  const auto config = ParseConfig(text, "gateway.yaml");
  EXPECT_EQ(config.status().code(), absl::StatusCode::kResourceExhausted) << config.status();
  EXPECT_LT(config.status().message().size(), 200U);
}

TEST(ParseConfigTest, DeepNestingIsRefused) {
  EXPECT_EQ(ErrorOf(std::string(100'000, '[')), "gateway.yaml:1: nested too deeply");
  EXPECT_EQ(ErrorOf("ports: &a [*a]"),
            "gateway.yaml:1: ports[0]: expected fields of Port, found a list");
  google::protobuf::DescriptorProto recursive;
  const absl::Status status =
      ParseMessage("nested_type: &a [{nested_type: *a}]", "message", recursive);
  EXPECT_NE(status.message().find("nested too deeply"), absl::string_view::npos) << status;
}

TEST(ParseConfigTest, AHugeNameIsNeitherReadNorRepeated) {
  const auto too_long =
      ParseConfig("ports: [{name: " + std::string(5 << 20, 'a') + "}]", "gateway.yaml");
  EXPECT_EQ(too_long.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(too_long.status().message(), "gateway.yaml: more than the 4 MiB that a text may have");
  EXPECT_LT(ErrorOf(std::string(3 << 20, 'a') + ": 1").size(), 200U);
}

TEST(ParseConfigTest, TextThatIsNotUtf8IsRefused) {
  for (const char* bytes : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    const std::string error = ErrorOf(absl::StrCat("ports: [{name: \"", bytes, "\"}]"));
    EXPECT_NE(error.find("is not UTF-8"), std::string::npos) << error;
  }
  EXPECT_EQ(Parsed("knobs: [{value: \"µ€😀\"}]").knobs(0).value(), "µ€😀");
}

TEST(ParseMessageTest, TimesAndEnumsAndMapsAreRead) {
  v1::StreamStatsRequest request;
  EXPECT_TRUE(ParseMessage("{interval: 1500ms, ports: [a, b]}", "request", request).ok());
  EXPECT_EQ(request.interval().seconds(), 1);
  EXPECT_EQ(request.interval().nanos(), 500'000'000);
  EXPECT_EQ(request.ports_size(), 2);
  EXPECT_EQ(ParseMessage("interval: soon", "request", request).message(),
            "request:1: interval: \"soon\" is not a time such as \"1.5s\" or \"200us\"");

  v1::Knob knob;
  EXPECT_TRUE(ParseMessage("scope: SCOPE_PORT", "knob", knob).ok());
  EXPECT_EQ(knob.scope(), v1::Knob::SCOPE_PORT);
  EXPECT_EQ(ParseMessage("scope: SCOPE_PROT", "knob", knob).message(),
            "knob:1: scope: \"SCOPE_PROT\" is not a Scope; did you mean \"SCOPE_PORT\"?");

  v1::QueueStats queue;
  EXPECT_TRUE(ParseMessage("counters: {packets: 18446744073709551615}", "queue", queue).ok());
  EXPECT_EQ(queue.counters().at("packets"), ~uint64_t{0});
  EXPECT_EQ(ParseMessage("counters: {packets: 1, packets: 2}", "queue", queue).message(),
            "queue:1: counters[\"packets\"] is given twice");
}

v1::StatsSnapshot SnapshotWithAllShapes() {
  v1::StatsSnapshot snapshot;
  snapshot.mutable_time()->set_seconds(1'700'000'000);
  snapshot.mutable_time()->set_nanos(250'000'000);
  v1::QueueStats& queue = *snapshot.add_queues();
  queue.set_port("true");
  queue.set_direction(v1::DIRECTION_RX);
  (*queue.mutable_counters())["packets"] = ~uint64_t{0};
  (*queue.mutable_counters())["bytes"] = 0;
  v1::Histogram& histogram = (*queue.mutable_histograms())["batch_size"];
  histogram.add_upper_bounds(1);
  histogram.add_counts(3);
  histogram.add_counts(4);
  snapshot.mutable_books();
  return snapshot;
}

TEST(ToYamlTest, FieldsStandInTheOrderOfTheProtoFileAndMapsAreSorted) {
  EXPECT_EQ(ToYaml(SnapshotWithAllShapes()), R"(time: "2023-11-14T22:13:20.25Z"
queues:
  - port: "true"
    direction: DIRECTION_RX
    counters:
      bytes: 0
      packets: 18446744073709551615
    histograms:
      batch_size:
        upper_bounds:
          - 1
        counts:
          - 3
          - 4
books: {}
)");
  EXPECT_EQ(ToYaml(v1::GatewayConfig()), "{}\n");
}

TEST(ToJsonTest, FieldsStandInTheOrderOfTheProtoFileAndMapsAreSorted) {
  EXPECT_EQ(ToJson(SnapshotWithAllShapes()), R"({
  "time": "2023-11-14T22:13:20.25Z",
  "queues": [
    {
      "port": "true",
      "direction": "DIRECTION_RX",
      "counters": {
        "bytes": 0,
        "packets": 18446744073709551615
      },
      "histograms": {
        "batch_size": {
          "upper_bounds": [
            1
          ],
          "counts": [
            3,
            4
          ]
        }
      }
    }
  ],
  "books": {}
}
)");
  EXPECT_EQ(ToJson(v1::GatewayConfig()), "{}\n");
}

TEST(ToYamlTest, AllShapesReadBackTheSame) {
  const v1::StatsSnapshot snapshot = SnapshotWithAllShapes();
  for (const std::string& text : {ToYaml(snapshot), ToJson(snapshot)}) {
    v1::StatsSnapshot read;
    EXPECT_TRUE(ParseMessage(text, "snapshot", read).ok());
    EXPECT_EQ(ToJson(read), ToJson(snapshot));
  }
}

TEST(ToYamlTest, TextThatYamlWouldTakeForSomethingElseIsQuoted) {
  v1::KnobSetting setting;
  for (const char* value : {"32", "off", "Null", "", "a: b", "- a", "tab\there", "\"q\"", "#", "~",
                            "back\\slash", "µs", "*a", "a b"}) {
    setting.set_value(value);
    v1::KnobSetting read;
    EXPECT_TRUE(ParseMessage(ToYaml(setting), "setting", read).ok()) << ToYaml(setting);
    EXPECT_EQ(read.value(), value) << ToYaml(setting);
  }
  setting.set_value("auto");
  EXPECT_EQ(ToYaml(setting), "value: auto\n");
}

}  // namespace
}  // namespace wakegate
