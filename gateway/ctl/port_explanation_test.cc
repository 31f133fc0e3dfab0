#include "gateway/ctl/port_explanation.h"

#include <gtest/gtest.h>

#include "gateway/config/text.h"
#include "gateway/ctl/port_report.h"
#include "gateway/ctl/snapshots_for_test.h"

namespace wakegate {
namespace {

v1::ListPortsResponse Ports(const char* yaml) {
  v1::ListPortsResponse ports;
  EXPECT_EQ(ParseMessage(yaml, "ports", ports), absl::OkStatus());
  return ports;
}

std::string Explain(const v1::StatsSnapshot& before, const v1::StatsSnapshot& after,
                    const char* ports, const std::string& port) {
  return FormatPortExplanation(MakePortReport(
      {.before = before, .after = after, .dataplane = {}, .ports = Ports(ports)}, port));
}

TEST(PortExplanationTest, SaysHowThePortWorksWhatItDidAndWhatWasLost) {
  const char* ports = R"(
ports:
- name: veth0
  kind: af_xdp
  state: STATE_UP
  mode_text: native, copies
  cross_connected_to: tap0
  queues: [{queue: 0, rx_worker: 1, tx_worker: 1, busy_poll: "off", napi_id: 8193,
            busy_poll_text: the device links no NAPI instance to the queue}]
)";
  EXPECT_EQ(Explain(FirstSnapshot(), SecondSnapshot(), ports, "veth0"),
            R"(Port veth0, af_xdp, over 1.0 s

It is up. Mode: native, copies. It is connected to tap0.

Queue 0 is received from by worker 1 and sent to by worker 1.
  It sent 99900 packets (99.9k/s). The other side was woken 3125 times (3125/s), for 32 packets
  each; 7 bursts found it awake, 10 kicks were saved by waiting, 0 were forced, 42 tried again. Held
  now: 50.
  What was held was pushed: immediate 3100, full 25.
  System calls: send 3125, 0.031 a packet.
  The kernel answered: again 42.
  Dropped: backlog_full 50.

The kernel counted for its device: kernel_tx_packets 100800.
)");
}

// One queue that has received, with busy polling by `method`.
std::string BusyPolled(const char* method, int polls, int brought, int packets) {
  const std::string after =
      absl::StrCat(R"(
time: 2026-01-01T12:00:01Z
boot_id: one
tsc_hz: 2000000000
queues: [{port: x, direction: DIRECTION_RX, queue: 0, counters: {packets: )",
                   packets, ", busy_polls: ", polls, ", busy_poll_packets: ", brought, "}}]");
  const std::string ports =
      absl::StrCat("ports: [{name: x, queues: [{busy_poll: \"", method, "\", napi_id: 7}]}]");
  return Explain(FirstSnapshot(), SnapshotOf(after.c_str()), ports.c_str(), "x");
}

TEST(PortExplanationTest, TellsEffectiveBusyPollingByWhatItBrought) {
  EXPECT_NE(BusyPolled("io_uring", 10, 500, 1000)
                .find("Busy polling of NAPI 7: io_uring. It is effective: called 10 times (10/s), "
                      "it brought"),
            std::string::npos);
  EXPECT_NE(BusyPolled("socket options", 10, 0, 1000).find("It is ineffective: called 10 times"),
            std::string::npos);
  EXPECT_NE(BusyPolled("io_uring", 10, 0, 0).find("Whether it is effective, packets would tell"),
            std::string::npos);
  EXPECT_EQ(BusyPolled("off", 0, 0, 10).find("effective"), std::string::npos);
  EXPECT_EQ(BusyPolled("", 0, 0, 10).find("Busy"), std::string::npos);
}

TEST(PortExplanationTest, SaysWhyAPortFailedAndWhyNobodySleeps) {
  const std::string text = Explain(FirstSnapshot(), SecondSnapshot(), R"(
ports: [{name: n, kind: ethdev, state: STATE_FAILED, state_text: no such device,
         sleep_obstacle: net_null has no Rx interrupts}])",
                                   "n");
  EXPECT_NE(text.find("It is failed: no such device. Its worker never sleeps: net_null has no Rx "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("connected to no port"), std::string::npos) << text;
}

TEST(PortExplanationTest, AnotherNameHasAReportWithoutOne) {
  EXPECT_EQ(MakePortReport({}, "veth0").status().name(), "");
}

}  // namespace
}  // namespace wakegate
