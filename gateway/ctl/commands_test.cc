// The commands against a real gRPC server, with their exact output.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gateway/config/text.h"
#include "gateway/ctl/command_line.h"
#include "gateway/ctl/fake_gateway_for_test.h"
#include "gateway/ctl/snapshots_for_test.h"

namespace wakegate {
namespace {

constexpr char kConfig[] = "ports:\n  - name: tap0\n    tap: {}\n";

class CommandsTest : public testing::Test {
 protected:
  // Runs `wakegatectl <arguments>`; what it printed is in out_ and err_.
  int Run(const std::vector<std::string>& arguments, const std::string& input = "") {
    std::vector<const char*> argv = {"wakegatectl", "--address", gateway_.address().c_str()};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    gateway_.Synchronize();
    const int code = RunCommandLine(static_cast<int>(argv.size()), argv.data(),
                                    {.in = in, .out = out, .err = err});
    gateway_.Synchronize();
    out_ = out.str();
    err_ = err.str();
    return code;
  }

  void AddChanges(google::protobuf::RepeatedPtrField<v1::Change>& changes) {
    v1::Change& added = *changes.Add();
    added.set_action(v1::Change::ACTION_ADD);
    added.set_object("port tap0");
    added.set_new_value("tap, interface tap0");
    v1::Change& removed = *changes.Add();
    removed.set_action(v1::Change::ACTION_REMOVE);
    removed.set_object("cross-connect a - b");
    v1::Change& modified = *changes.Add();
    modified.set_action(v1::Change::ACTION_MODIFY);
    modified.set_object("port veth0");
    modified.set_field("mtu");
    modified.set_old_value("1500");
    modified.set_new_value("9000");
    modified.set_recreates_port(true);
  }

  FakeGateway gateway_;
  std::string out_;
  std::string err_;
};

TEST_F(CommandsTest, ApplySendsTheConfigurationAndPrintsTheChanges) {
  AddChanges(*gateway_.apply_response.mutable_changes());
  gateway_.apply_response.set_generation(7);
  EXPECT_EQ(Run({"apply", "-f", "-", "--expect-generation", "6"}, kConfig), kSuccess) << err_;
  EXPECT_EQ(out_,
            "+ port tap0: tap, interface tap0\n"
            "- cross-connect a - b\n"
            "~ port veth0: mtu 1500 -> 9000 (re-creates the port)\n"
            "generation 7\n");
  EXPECT_EQ(ToYaml(gateway_.apply_request.config()), kConfig);
  EXPECT_EQ(gateway_.apply_request.expected_generation(), 6U);
  EXPECT_FALSE(gateway_.apply_request.dry_run());
}

TEST_F(CommandsTest, DeviceStatsAreSortedByName) {
  auto& stats = *gateway_.device_stats_response.mutable_stats();
  stats["tx_good_packets"] = 3;
  stats["rx_good_packets"] = 1000;
  EXPECT_EQ(Run({"get", "device-stats", "nic0"}), kSuccess) << err_;
  EXPECT_EQ(gateway_.device_stats_request.port(), "nic0");
  EXPECT_EQ(out_,
            "COUNTER          VALUE\n"
            "rx_good_packets   1000\n"
            "tx_good_packets      3\n");
  gateway_.device_stats_response.clear_stats();
  EXPECT_EQ(Run({"get", "device-stats", "nic0"}), kSuccess);
  EXPECT_EQ(out_, "the driver counts nothing by itself\n");
}

TEST_F(CommandsTest, APortThatKeepsItsWorkerAwakeSaysWhy) {
  v1::PortStatus& port = *gateway_.ports_response.add_ports();
  port.set_name("null0");
  port.set_kind("ethdev");
  port.set_sleep_obstacle("net_null has no Rx interrupts");
  EXPECT_EQ(Run({"get", "ports"}), kSuccess);
  EXPECT_NE(out_.find("its worker never sleeps: net_null has no Rx interrupts"), std::string::npos)
      << out_;
}

TEST_F(CommandsTest, ADryRunSaysThatItIsOne) {
  AddChanges(*gateway_.apply_response.mutable_changes());
  gateway_.apply_response.set_generation(6);
  EXPECT_EQ(Run({"apply", "-f", "-", "--dry-run"}, kConfig), kSuccess);
  EXPECT_NE(out_.find("\ndry run, nothing was changed, generation 6\n"), std::string::npos) << out_;
  EXPECT_TRUE(gateway_.apply_request.dry_run());
  EXPECT_FALSE(gateway_.apply_request.has_expected_generation());
}

TEST_F(CommandsTest, ApplyOfWhatRunsSaysSo) {
  gateway_.apply_response.set_generation(6);
  EXPECT_EQ(Run({"apply", "-f", "-"}, kConfig), kSuccess);
  EXPECT_EQ(out_, "nothing to change, generation 6\n");
}

TEST_F(CommandsTest, TheResponseIsPrintedAsJsonOrYamlOnRequest) {
  gateway_.apply_response.set_generation(6);
  EXPECT_EQ(Run({"apply", "-f", "-", "-o", "json"}, kConfig), kSuccess);
  EXPECT_EQ(out_, "{\n  \"generation\": 6\n}\n");
  EXPECT_EQ(Run({"-o", "yaml", "apply", "-f", "-"}, kConfig), kSuccess);
  EXPECT_EQ(out_, "generation: 6\n");
}

TEST_F(CommandsTest, ABadFileIsNotSent) {
  EXPECT_EQ(Run({"apply", "-f", "-"}, "ports:\n- nmae: a\n"), kUsage);
  EXPECT_EQ(err_,
            "wakegatectl: <stdin>:2: ports[0]: unknown field \"nmae\" in Port; did you mean "
            "\"name\"?\n");
  EXPECT_EQ(Run({"apply", "-f", "/nonexistent"}), kUsage);
  EXPECT_EQ(err_, "wakegatectl: open /nonexistent: No such file or directory\n");
  EXPECT_EQ(Run({"diff", "-f", "/"}), kUsage);
  EXPECT_EQ(err_, "wakegatectl: read /: Is a directory\n");
  EXPECT_EQ(Run({"diff", "-f", "/dev/zero"}), kUsage);
  EXPECT_EQ(err_, "wakegatectl: /dev/zero: more than the 4 MiB that a text may have\n");
}

TEST_F(CommandsTest, AnEmptyFileRemovesNothing) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"apply", "-f", "-"},
                                                  {"apply", "-f", "-", "--dry-run"},
                                                  {"diff", "-f", "-"}}) {
    EXPECT_EQ(Run(command), kUsage);
    EXPECT_EQ(err_, "wakegatectl: <stdin>: is empty; to remove everything, say `ports: []`\n");
  }
  EXPECT_EQ(Run({"apply", "-f", "/dev/null"}), kUsage);
  EXPECT_EQ(err_, "wakegatectl: /dev/null: is empty; to remove everything, say `ports: []`\n");
  EXPECT_EQ(Run({"apply", "-f", "-"}, "ports: []\n"), kSuccess) << err_;
  EXPECT_EQ(Run({"get", "config"}), kSuccess);
  EXPECT_EQ(Run({"apply", "-f", "-"}, out_), kSuccess) << "of a gateway without ports: " << err_;
}

TEST_F(CommandsTest, ARefusalHasItsStatusItsTextAndWhatToDo) {
  gateway_.status = {grpc::StatusCode::ABORTED, "generation 5 is not the current one, 6"};
  EXPECT_EQ(Run({"apply", "-f", "-", "--expect-generation", "5"}, kConfig), kRefused);
  EXPECT_EQ(out_, "");
  EXPECT_EQ(err_,
            "wakegatectl: ABORTED: generation 5 is not the current one, 6\n"
            "`wakegatectl get config` shows the current one, with its generation.\n");
  gateway_.status = {grpc::StatusCode::INVALID_ARGUMENT, "ports[0].name: is empty"};
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"diff", "-f", "-"},
        {"get", "config"},
        {"get", "ports"},
        {"get", "knobs"},
        {"get", "status"},
        {"get", "workers"},
        {"explain", "worker", "0"},
        {"tune", "get"},
        {"stats"},
        {"stats", "--watch"},
        {"tune", "set", "burst_size", "1", "--port", "a"}}) {
    EXPECT_EQ(Run(command, kConfig), kRefused) << command[0];
    EXPECT_EQ(err_, "wakegatectl: INVALID_ARGUMENT: ports[0].name: is empty\n") << command[0];
  }
}

TEST_F(CommandsTest, AGatewayWithoutItsDataPlaneIsNotUnreachable) {
  gateway_.status = {grpc::StatusCode::UNAVAILABLE, "the data plane does not answer"};
  EXPECT_EQ(Run({"get", "ports"}), kRefused);
  EXPECT_EQ(err_,
            "wakegatectl: UNAVAILABLE: the data plane does not answer\n"
            "wakegate-mgmt answers; `wakegatectl get status` tells what it knows.\n");
}

TEST_F(CommandsTest, NobodyListeningIsUnreachable) {
  for (const char* command : {"ports", "status"}) {
    EXPECT_EQ(Run({"--address", "/tmp/none.sock", "get", command}), kUnreachable);
    EXPECT_EQ(err_,
              "wakegatectl: cannot reach the gateway at unix:/tmp/none.sock: No such file or "
              "directory\n"
              "Start it with `wakegate`, or name its address with --address or "
              "WAKEGATE_ADDRESS.\n");
  }
  EXPECT_EQ(Run({"--address", "/tmp/none.sock", "stats", "--watch"}), kUnreachable);
  EXPECT_EQ(Run({"--address", "none/api.sock", "get", "ports"}), kUnreachable);
  EXPECT_NE(err_.find("at unix:none/api.sock"), std::string::npos) << "a path may be relative";
}

TEST_F(CommandsTest, DiffTellsByItsExitCode) {
  EXPECT_EQ(Run({"diff", "-f", "-"}, kConfig), kSuccess);
  EXPECT_EQ(out_, "");
  EXPECT_TRUE(gateway_.apply_request.dry_run());
  AddChanges(*gateway_.apply_response.mutable_changes());
  EXPECT_EQ(Run({"diff", "-f", "-"}, kConfig), kDifferent);
  EXPECT_EQ(out_.find("+ port tap0: tap, interface tap0\n"), 0U) << out_;
}

TEST_F(CommandsTest, GetConfigPrintsWhatApplyTakes) {
  *gateway_.config_response.mutable_config() = *ParseConfig(kConfig, "test");
  gateway_.config_response.set_generation(3);
  EXPECT_EQ(Run({"get", "config"}), kSuccess);
  EXPECT_EQ(out_, std::string("# generation 3\n") + kConfig);
  const std::string printed = out_;
  EXPECT_EQ(Run({"apply", "-f", "-"}, printed), kSuccess);
  EXPECT_EQ(ToYaml(gateway_.apply_request.config()), kConfig);
  EXPECT_EQ(Run({"get", "config", "-o", "json"}), kSuccess);
  EXPECT_EQ(ToYaml(*ParseConfig(out_, "test")), kConfig);
}

TEST_F(CommandsTest, GetPortsIsATable) {
  EXPECT_TRUE(ParseMessage(R"(
ports:
- {name: tap0, kind: tap, state: STATE_UP, interface: eth0, network_namespace: blue, mtu: 1500,
   mac_address: "02:00:00:00:00:01", cross_connected_to: veth0,
   queues: [{queue: 0}, {queue: 1, rx_worker: 1}]}
- {name: veth0, kind: af_packet, state: STATE_FAILED, interface: veth0, promiscuous: true,
   state_text: "veth0: No such device", queues: [{queue: 0}]}
- {name: m, kind: memory, state: STATE_NO_CARRIER, queues: [{queue: 0}]}
)",
                           "ports", gateway_.ports_response)
                  .ok());
  EXPECT_EQ(Run({"get", "ports"}), kSuccess);
  EXPECT_EQ(
      out_,
      R"(PORT   KIND       STATE       DEVICE         MTU  MAC                QUEUES  WORKERS  CONNECTED TO
tap0   tap        up          eth0 in blue  1500  02:00:00:00:00:01       2  0,1      veth0
veth0  af_packet  failed      veth0            -  -                       1  0        -
    promiscuous
    veth0: No such device
m      memory     no carrier  -                -  -                       1  0        -
)");
  gateway_.ports_response.Clear();
  EXPECT_EQ(Run({"get", "ports"}), kSuccess);
  EXPECT_EQ(out_, "no ports\n");
}

void FillKnobs(v1::ListKnobsResponse& response) {
  EXPECT_TRUE(ParseMessage(R"(
knobs:
- {name: burst_size, type: TYPE_INTEGER, unit: packets, minimum: 1, maximum: 64, default_value: 32,
   scope: SCOPE_QUEUE, effect: EFFECT_LIVE, help: Packets at a time.,
   values: [{port: tap0, queue: 0, value: 16}, {port: tap0, queue: 1, value: 32, is_default: true}]}
- {name: tx_mode, type: TYPE_CHOICE, choices: [direct, doorbell], default_value: direct,
   scope: SCOPE_PORT, effect: EFFECT_RECREATES_PORT, help: How it is sent.,
   values: [{port: veth0, value: direct, is_default: true}]}
- {name: worker, type: TYPE_INTEGER, minimum: 0, maximum: 127, choices: [auto],
   default_value: auto, scope: SCOPE_QUEUE, port_kinds: [tap], effect: EFFECT_LIVE, help: Whose.}
- {name: idle_spin, type: TYPE_DURATION, minimum: 0us, maximum: 10ms, default_value: 50us,
   scope: SCOPE_WORKER, effect: EFFECT_LIVE, help: How long.,
   values: [{worker: 0, value: 50us, is_default: true}]}
)",
                           "knobs", response)
                  .ok());
}

TEST_F(CommandsTest, GetKnobsTellsWhatCanBeTuned) {
  FillKnobs(gateway_.list_knobs_response);
  EXPECT_EQ(Run({"get", "knobs"}), kSuccess);
  EXPECT_EQ(out_, R"(KNOB        VALUES           UNIT     DEFAULT  OF EACH    CHANGE
burst_size  1 to 64          packets       32  queue      live
    Packets at a time.
tx_mode     direct doorbell  -         direct  port       recreates port
    How it is sent.
worker      0 to 127, auto   -           auto  tap queue  live
    Whose.
idle_spin   0us to 10ms      -           50us  worker     live
    How long.
)");
}

TEST_F(CommandsTest, TuneGetTellsTheValues) {
  FillKnobs(gateway_.list_knobs_response);
  EXPECT_EQ(Run({"tune", "get", "burst_size", "--port", "tap0"}), kSuccess);
  EXPECT_EQ(gateway_.list_knobs_request.knob(), "burst_size");
  EXPECT_EQ(gateway_.list_knobs_request.port(), "tap0");
  EXPECT_EQ(out_, R"(KNOB        OF             VALUE  UNIT
burst_size  tap0 queue 0      16  packets  default: 32
burst_size  tap0 queue 1      32  packets  default
tx_mode     veth0         direct  -        default
idle_spin   worker 0        50us  -        default
)");
}

TEST_F(CommandsTest, TuneSetSendsTheSettingAndPrintsTheChanges) {
  EXPECT_EQ(Run({"tune", "set", "burst_size", "16", "-p", "tap0", "-q", "0"}), kSuccess) << err_;
  EXPECT_EQ(ToYaml(gateway_.set_knob_request),
            "knob: burst_size\nport: tap0\nqueue: 0\nvalue: \"16\"\n");
  EXPECT_EQ(out_, "nothing to change, generation 0\n");
  AddChanges(*gateway_.set_knob_response.mutable_changes());
  gateway_.set_knob_response.set_generation(8);
  EXPECT_EQ(Run({"tune", "set", "burst_size", "16", "-p", "tap0", "--expect-generation", "7"}),
            kSuccess);
  EXPECT_FALSE(gateway_.set_knob_request.has_queue());
  EXPECT_EQ(gateway_.set_knob_request.expected_generation(), 7U);
  EXPECT_NE(out_.find("\ngeneration 8\n"), std::string::npos);
}

TEST_F(CommandsTest, KnobsOfWorkersAreSetOnOneOrAll) {
  EXPECT_EQ(Run({"tune", "set", "idle_policy", "poll", "--worker", "0"}), kSuccess) << err_;
  EXPECT_EQ(ToYaml(gateway_.set_knob_request), "knob: idle_policy\nvalue: poll\nworker: 0\n");
  EXPECT_EQ(Run({"tune", "set", "idle_policy", "poll"}), kSuccess) << err_;
  EXPECT_EQ(ToYaml(gateway_.set_knob_request), "knob: idle_policy\nvalue: poll\n");
  EXPECT_EQ(Run({"tune", "get", "--worker", "1"}), kSuccess) << err_;
  EXPECT_EQ(ToYaml(gateway_.list_knobs_request), "worker: 1\n");
}

TEST_F(CommandsTest, GetStatusNamesBothProcesses) {
  setenv("TZ", "UTC", 1);
  EXPECT_TRUE(ParseMessage(R"(
mgmt_version: 0.1.0
dataplane_connected: true
generation: 4
in_sync: true
dataplane: {version: 0.1.0, boot_id: abc, pid: 12, start_time: 2026-01-01T12:00:00Z,
            memory_text: 2 MB hugepages, workers: [{worker: 0, cpu: 2}, {worker: 1, cpu: 3}]}
)",
                           "status", gateway_.status_response)
                  .ok());
  EXPECT_EQ(Run({"get", "status"}), kSuccess);
  EXPECT_EQ(out_, R"(configuration  generation 4, which the data plane runs
management     version 0.1.0
data plane     connected, version 0.1.0, pid 12, since 2026-01-01 12:00:00
               boot id abc
memory         2 MB hugepages
workers        0 on CPU 2, 1 on CPU 3
)");
  gateway_.status_response.Clear();
  gateway_.status_response.set_mgmt_version("0.1.0");
  gateway_.status_response.set_dataplane_text("connect: No such file or directory");
  EXPECT_EQ(Run({"get", "status"}), kSuccess);
  EXPECT_EQ(out_, R"(configuration  generation 0, which the data plane does not run
management     version 0.1.0
data plane     NOT CONNECTED
trouble        connect: No such file or directory
)");
}

TEST_F(CommandsTest, StatsPrintsTheRatesOfOneInterval) {
  gateway_.snapshots = {FirstSnapshot(), SecondSnapshot(), SecondSnapshot()};
  EXPECT_EQ(Run({"stats", "--interval", "250ms", "--port", "a", "--port", "b"}), kSuccess) << err_;
  EXPECT_EQ(ToYaml(gateway_.stream_stats_request), "interval: \"250ms\"\nports:\n  - a\n  - b\n");
  EXPECT_NE(out_.find("tap0     0       100k"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("Wakegate at"), out_.rfind("Wakegate at")) << out_;
}

TEST_F(CommandsTest, StatsWatchEndsAfterTheCountAndPrintsBlocksWithoutATerminal) {
  gateway_.snapshots = {FirstSnapshot(), SecondSnapshot(), SecondSnapshot(), SecondSnapshot()};
  EXPECT_EQ(Run({"stats", "--watch", "--count", "2"}), kSuccess) << err_;
  const std::size_t second = out_.find("\n\nWakegate at");
  EXPECT_NE(second, std::string::npos) << out_;
  EXPECT_EQ(out_.find("Wakegate at", second + 3), std::string::npos) << out_;
  EXPECT_EQ(out_.find('\x1b'), std::string::npos);
}

TEST_F(CommandsTest, StatsAsJsonAreTheCountersThemselves) {
  gateway_.snapshots = {SecondSnapshot()};
  EXPECT_EQ(Run({"stats", "-o", "json"}), kSuccess) << err_;
  EXPECT_EQ(out_, ToJson(SecondSnapshot()));
  gateway_.snapshots = {FirstSnapshot(), SecondSnapshot()};
  EXPECT_EQ(Run({"stats", "-o", "yaml", "--watch", "-n", "2"}), kSuccess) << err_;
  EXPECT_EQ(out_, ToYaml(FirstSnapshot()) + "---\n" + ToYaml(SecondSnapshot()));
}

TEST_F(CommandsTest, WatchingGoesOnAfterTheDataPlaneWasAway) {
  gateway_.snapshots = {FirstSnapshot(), SecondSnapshot()};
  gateway_.status = {grpc::StatusCode::UNAVAILABLE, "the data plane does not answer"};
  EXPECT_EQ(Run({"stats", "--watch", "--count", "3"}), kSuccess) << err_;
  const std::string gone =
      "wakegatectl: no counters, waiting for them: the data plane does not answer\n";
  EXPECT_EQ(err_.find(gone + "wakegatectl: the counters come again\n"), 0U) << err_;
}

TEST_F(CommandsTest, WorkersAreReportedOverTheSecondsAskedFor) {
  gateway_.snapshots = {FirstSnapshot(), SecondSnapshot()};
  gateway_.status_response.mutable_dataplane()->add_workers()->set_cpu(3);
  EXPECT_EQ(Run({"get", "workers", "--seconds", "0.01"}), kSuccess) << err_;
  EXPECT_NE(out_.find("tap0/0 receive"), std::string::npos) << out_;
  EXPECT_EQ(Run({"explain", "worker", "0", "-s", "10ms"}), kSuccess) << err_;
  EXPECT_EQ(out_.find("Worker 0 on CPU 3"), 0U) << out_;
  EXPECT_EQ(Run({"explain", "worker", "0", "-s", "10ms", "-o", "json"}), kSuccess) << err_;
  EXPECT_NE(out_.find("\"before\""), std::string::npos) << out_;
  EXPECT_EQ(Run({"explain", "worker", "7", "-s", "10ms"}), kRefused);
  EXPECT_EQ(err_, "wakegatectl: NOT_FOUND: no worker 7; the data plane has 1 of them, from 0\n");
}

TEST_F(CommandsTest, APortIsExplainedOverTheSecondsAskedFor) {
  gateway_.snapshots = {FirstSnapshot(), SecondSnapshot()};
  gateway_.ports_response.add_ports()->set_name("veth0");
  EXPECT_EQ(Run({"explain", "port", "veth0", "-s", "10ms"}), kSuccess) << err_;
  EXPECT_EQ(out_.find("Port veth0"), 0U) << out_;
  EXPECT_EQ(Run({"explain", "port", "veth0", "-s", "10ms", "-o", "json"}), kSuccess) << err_;
  EXPECT_NE(out_.find("\"kernel_tx_packets\": 100800"), std::string::npos) << out_;
  EXPECT_EQ(Run({"explain", "port", "nosuch", "-s", "10ms"}), kRefused);
  EXPECT_EQ(err_,
            "wakegatectl: NOT_FOUND: no port \"nosuch\"; `wakegatectl get ports` lists them\n");
}

TEST_F(CommandsTest, AHangingGatewayEndsWithTheTimeout) {
  EXPECT_EQ(Run({"--timeout", "50ms", "stats", "-i", "100ms"}), kRefused);
  EXPECT_EQ(err_.find("wakegatectl: DEADLINE_EXCEEDED: "), 0U) << err_;
  EXPECT_NE(err_.find("--timeout"), std::string::npos) << err_;
}

TEST_F(CommandsTest, WrongCommandLinesSayWhatIsWrongAndWhereTheHelpIs) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "A subcommand is required\nSee `wakegatectl --help`.\n"},
      {{"stat"}, "no command \"stat\"; did you mean \"stats\"?\nSee `wakegatectl --help`.\n"},
      {{"get", "everything"},
       "no command \"everything\"; known: config, ports, knobs, status, workers, "
       "device-stats\nSee `wakegatectl get --help`.\n"},
      {{"apply"}, "--file is required\nSee `wakegatectl apply --help`.\n"},
      {{"tune", "set", "burst_size", "3", "--queue", "0"},
       "--queue requires --port\nSee `wakegatectl tune set --help`.\n"},
      {{"tune", "set", "idle_policy", "poll", "--port", "a", "--worker", "0"},
       "--port excludes --worker\nSee `wakegatectl tune set --help`.\n"},
      {{"stats", "--count", "3"}, "--count requires --watch\nSee `wakegatectl stats --help`.\n"},
      {{"stats", "-i", "soon"},
       "--interval: \"soon\" is not a time such as 500ms or 2s\nSee `wakegatectl stats --help`.\n"},
      {{"-o", "xml", "version"},
       "--output: xml not in {table,json,yaml}\nSee `wakegatectl version --help`.\n"},
      {{"--address", "/" + std::string(200, 'a'), "version"},
       "--address: a path of 201 bytes; a Unix socket's may have 107\n"
       "See `wakegatectl version --help`.\n"},
  };
  for (const auto& [arguments, text] : cases) {
    EXPECT_EQ(Run(arguments), kUsage) << text;
    EXPECT_EQ(out_, "");
    EXPECT_EQ(err_, "wakegatectl: " + text);
  }
}

TEST_F(CommandsTest, ArgumentsThatAreNotUtf8AreCountedAndNotShown) {
  const std::string bad = "\xff\xfe";
  // Two words before these give the address.
  const std::vector<std::pair<std::vector<std::string>, int>> cases = {
      {{"tune", "set", "rx_trigger", "none", "--port", bad}, 8},
      {{"tune", "set", "rx_trigger", "none", "--port=" + bad}, 7},
      {{"tune", "set", bad, "none", "--port", "a"}, 5},
      {{"tune", "set", "rx_trigger", bad, "--port", "a"}, 6},
      {{"explain", "port", bad}, 5},
      {{bad, bad}, 3},
  };
  for (const auto& [arguments, number] : cases) {
    EXPECT_EQ(Run(arguments), kUsage) << number;
    EXPECT_EQ(out_, "");
    EXPECT_EQ(err_, "wakegatectl: argument " + std::to_string(number) +
                        " is not UTF-8\nSee `wakegatectl --help`.\n");
  }
  EXPECT_EQ(Run({"tune", "set", "rx_trigger", "none", "--port", "µ€😀"}), kSuccess) << err_;
}

TEST_F(CommandsTest, HelpHasExamplesAndExitCodes) {
  EXPECT_EQ(Run({"--help"}), kSuccess);
  for (const char* part :
       {"wakegatectl apply -f gateway.yaml", "Exit codes:", "WAKEGATE_ADDRESS"}) {
    EXPECT_NE(out_.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(Run({"stats", "--help"}), kSuccess);
  EXPECT_NE(out_.find("wakegatectl stats --watch"), std::string::npos) << out_;
}

TEST_F(CommandsTest, VersionNeedsNoGateway) {
  EXPECT_EQ(Run({"--address", "/tmp/none.sock", "version"}), kSuccess);
  EXPECT_EQ(out_.find("wakegatectl "), 0U);
}

}  // namespace
}  // namespace wakegate
