#include "mgmt/services/stats_service.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "google/protobuf/util/time_util.h"
#include "mgmt/services/serving_test.h"

namespace wakegate {
namespace {

using google::protobuf::util::TimeUtil;
using grpc::StatusCode;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

class StatsServiceTest : public ServingTest {
 protected:
  // A stream that is being read.
  struct Stream {
    Stream(v1::StatsService::StubInterface& stub, const v1::StreamStatsRequest& request)
        : reader(stub.StreamStats(&context, request)) {}
    bool Read() { return reader->Read(&response); }

    grpc::ClientContext context;
    v1::StreamStatsResponse response;
    std::unique_ptr<grpc::ClientReaderInterface<v1::StreamStatsResponse>> reader;
  };

  grpc::Status GetStats(const std::vector<std::string>& ports, v1::StatsSnapshot& snapshot) {
    v1::GetStatsRequest request;
    request.mutable_ports()->Assign(ports.begin(), ports.end());
    v1::GetStatsResponse response;
    grpc::ClientContext context;
    const grpc::Status status = client_.stats().GetStats(&context, request, &response);
    snapshot = response.snapshot();
    return status;
  }
  static v1::StreamStatsRequest Each(int64_t interval_milliseconds) {
    v1::StreamStatsRequest request;
    *request.mutable_interval() = TimeUtil::MillisecondsToDuration(interval_milliseconds);
    return request;
  }
  grpc::Status StatusOf(const v1::StreamStatsRequest& request) {
    Stream stream(client_.stats(), request);
    EXPECT_FALSE(stream.Read());
    return stream.reader->Finish();
  }
};

TEST_F(StatsServiceTest, TheDriversOwnCountersComeFromTheDataPlane) {
  ASSERT_TRUE(Apply(TapConfig({"tap0"})).ok());
  const auto get = [this](const std::string& port, v1::GetDeviceStatsResponse& response) {
    v1::GetDeviceStatsRequest request;
    request.set_port(port);
    grpc::ClientContext context;
    return client_.stats().GetDeviceStats(&context, request, &response);
  };
  v1::GetDeviceStatsResponse response;
  ASSERT_TRUE(get("tap0", response).ok());
  EXPECT_EQ(response.stats().at("rx_good_packets"), 12U);
  EXPECT_EQ(get("tap9", response).error_code(), StatusCode::NOT_FOUND);
  LoseDataplane();
  EXPECT_EQ(get("tap0", response).error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(StatsServiceTest, AllCountersOfTheLedgerAreGiven) {
  ASSERT_TRUE(Apply(TapConfig({"tap0", "tap1"})).ok());
  ledger::RxQueueBlock& rx = dataplane_.slots("tap0").rx.block();
  rx.counters[ledger::RxCounter::kPackets].Add(10);
  rx.drops[ledger::DropReason::kRunt].Add(1);
  rx.counters[ledger::RxCounter::kHandedOver].Add(4);
  rx.batch_size.Record(10);
  ledger::TxQueueBlock& tx = dataplane_.slots("tap1").tx.block();
  tx.counters[ledger::TxCounter::kPackets].Add(5);
  tx.levels[ledger::TxLevel::kHeld].Set(3);
  tx.hold_microseconds.Record(5);
  dataplane_.worker().block().counters[ledger::WorkerCounter::kSleeps].Add(2);
  dataplane_.slots("tap0").port.block().counters[ledger::PortCounter::kKernelTxDropped].Add(6);

  v1::StatsSnapshot snapshot;
  ASSERT_TRUE(GetStats({}, snapshot).ok());
  EXPECT_EQ(snapshot.boot_id(), "boot-1");
  EXPECT_EQ(snapshot.tsc_hz(), FakeDataplane::kTscHz);
  ASSERT_EQ(snapshot.queues_size(), 4);
  const v1::QueueStats& tap0_rx = snapshot.queues(0);
  EXPECT_EQ(tap0_rx.port(), "tap0");
  EXPECT_EQ(tap0_rx.direction(), v1::DIRECTION_RX);
  EXPECT_EQ(tap0_rx.counters().at("packets"), 10U);
  EXPECT_EQ(tap0_rx.counters().size(), ledger::kRxCounterCount + ledger::kRxLevelCount);
  EXPECT_EQ(tap0_rx.drops_by_reason().at("runt"), 1U);
  EXPECT_EQ(tap0_rx.histograms().at("batch_size").counts(4), 1U);
  EXPECT_EQ(tap0_rx.histograms().at("batch_size").upper_bounds(4), 16U);
  EXPECT_EQ(tap0_rx.histograms().at("batch_size").sum(), 10U);
  const v1::QueueStats& tap1_tx = snapshot.queues(3);
  EXPECT_EQ(tap1_tx.direction(), v1::DIRECTION_TX);
  EXPECT_EQ(tap1_tx.counters().at("held_packets"), 3U);
  EXPECT_EQ(tap1_tx.histograms().at("hold_microseconds").counts_size(), 21);
  ASSERT_EQ(snapshot.workers_size(), 1);
  EXPECT_EQ(snapshot.workers(0).counters().at("sleeps"), 2U);
  EXPECT_EQ(snapshot.ports(0).counters().at("kernel_tx_dropped"), 6U);
  EXPECT_EQ(snapshot.books().received(), 10U);
  EXPECT_EQ(snapshot.books().held(), 7U);
  EXPECT_EQ(snapshot.books().difference(), 10 - 5 - 1 - 7);
}

TEST_F(StatsServiceTest, OnlyTheQueuesOfTheNamedPortsAreGiven) {
  ASSERT_TRUE(Apply(TapConfig({"tap0", "tap1"})).ok());
  v1::StatsSnapshot snapshot;
  ASSERT_TRUE(GetStats({"tap1"}, snapshot).ok());
  ASSERT_EQ(snapshot.queues_size(), 2);
  EXPECT_EQ(snapshot.queues(0).port(), "tap1");
  EXPECT_EQ(snapshot.ports_size(), 1);
  EXPECT_EQ(snapshot.workers_size(), 1);
  const grpc::Status status = GetStats({"tap1", "tap9"}, snapshot);
  EXPECT_EQ(status.error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message().substr(0, 22), "ports: no port \"tap9\";");
}

TEST_F(StatsServiceTest, WithoutTheDataPlaneThereAreNone) {
  LoseDataplane();
  v1::StatsSnapshot snapshot;
  EXPECT_EQ(GetStats({}, snapshot).error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(StatusOf(Each(100)).error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(StatsServiceTest, AStreamSendsAtOnceAndThenAtEachInterval) {
  const auto start = steady_clock::now();
  Stream stream(client_.stats(), Each(100));
  ASSERT_TRUE(stream.Read());
  for (int i = 0; i < 3; ++i) {
    dataplane_.worker().block().counters[ledger::WorkerCounter::kIterations].Add(1);
    ASSERT_TRUE(stream.Read());
  }
  EXPECT_GE(steady_clock::now() - start, milliseconds(290));
  EXPECT_EQ(stream.response.snapshot().workers(0).counters().at("iterations"), 3U);
  stream.context.TryCancel();
}

TEST_F(StatsServiceTest, IntervalsOutOfBoundsAreInvalid) {
  for (const int64_t interval : {int64_t{0}, int64_t{99}, int64_t{3'600'001}, int64_t{-1000}}) {
    EXPECT_EQ(StatusOf(Each(interval)).error_code(), StatusCode::INVALID_ARGUMENT) << interval;
  }
  v1::StreamStatsRequest strange;
  strange.mutable_interval()->set_seconds(INT64_MAX);
  strange.mutable_interval()->set_nanos(INT32_MAX);
  EXPECT_EQ(StatusOf(strange).error_message(),
            "interval: 9223372036854775807 s and 2147483647 ns are not from 100 ms to 1 h");
  v1::StreamStatsRequest unknown;
  unknown.add_ports("tap9");
  EXPECT_EQ(StatusOf(unknown).error_code(), StatusCode::NOT_FOUND);
}

TEST_F(StatsServiceTest, CancelledStreamsMakeRoomForOthers) {
  // With intervals of an hour: cancelling ends the wait.
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Stream>> streams;
    for (int i = 0; i < StatsService::kMaxStreams; ++i) {
      EXPECT_TRUE(Eventually([&] {  // Those of the last round may not have ended yet.
        streams.push_back(std::make_unique<Stream>(client_.stats(), Each(3'600'000)));
        if (streams.back()->Read()) return true;
        streams.pop_back();
        return false;
      }));
    }
    EXPECT_EQ(StatusOf(Each(1000)).error_code(), StatusCode::RESOURCE_EXHAUSTED);
    for (auto& stream : streams) stream->context.TryCancel();
  }
}

TEST_F(StatsServiceTest, CancellingAtAnyMomentIsSafe) {
  for (int i = 0; i < 200; ++i) {
    Stream stream(client_.stats(), Each(100));
    if (i % 3 != 0) stream.Read();
    if (i % 20 == 0) std::this_thread::sleep_for(milliseconds(95 + i / 20));
    stream.context.TryCancel();
  }
}

TEST_F(StatsServiceTest, AReaderThatDoesNotKeepUpGetsFewerAndNoOldOnes) {
  v1::GatewayConfig config;
  for (int i = 0; i < 40; ++i) {
    config.add_ports()->set_name("tap" + std::to_string(i));
    config.mutable_ports(i)->mutable_tap();
  }
  ASSERT_TRUE(Apply(config).ok());
  // A client that buffers 64 KB, less than a snapshot of 40 ports. Others buffer more of them.
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 65535);
  const auto stub = v1::StatsService::NewStub(grpc::CreateCustomChannel(
      "unix:" + ApiSocketPath(folder_.path()), grpc::InsecureChannelCredentials(), arguments));
  Stream stream(*stub, Each(100));
  ASSERT_TRUE(stream.Read());
  ASSERT_GT(stream.response.ByteSizeLong(), 65535U);
  std::this_thread::sleep_for(milliseconds(2000));  // Time for 20.
  // What was under way, until one is fresh.
  int read = 0;
  int64_t age_milliseconds = 0;
  do {
    ASSERT_TRUE(stream.Read());
    ++read;
    age_milliseconds = TimeUtil::DurationToMilliseconds(TimeUtil::GetCurrentTime() -
                                                        stream.response.snapshot().time());
  } while (age_milliseconds > 1000);
  EXPECT_LT(read, 8);
  stream.context.TryCancel();
}

TEST_F(StatsServiceTest, AStreamEndsWithTheReasonWhenTheDataPlaneGoes) {
  Stream stream(client_.stats(), Each(100));
  ASSERT_TRUE(stream.Read());
  LoseDataplane();
  while (stream.Read()) continue;
  const grpc::Status status = stream.reader->Finish();
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_NE(status.error_message().find("does not answer"), std::string::npos);
}

TEST_F(StatsServiceTest, AStreamEndsWhereTheDataPlaneWasStartedAgainBetweenTwoSnapshots) {
  Stream stream(client_.stats(), Each(100));
  ASSERT_TRUE(stream.Read());
  dataplane_.Kill();
  dataplane_.Start("boot-2");
  while (stream.Read()) ASSERT_EQ(stream.response.snapshot().boot_id(), "boot-1");
  EXPECT_EQ(stream.reader->Finish().error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(StatsServiceTest, StreamsEndWhenTheServerStops) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 10; ++i) {
    streams.push_back(std::make_unique<Stream>(client_.stats(), Each(i % 2 == 0 ? 100 : 60'000)));
    ASSERT_TRUE(streams.back()->Read());
  }
  reconciler_.reset();
  const auto start = steady_clock::now();
  server_.reset();
  for (auto& stream : streams) {
    while (stream->Read()) continue;
    EXPECT_FALSE(stream->reader->Finish().ok());
  }
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(1));
}

}  // namespace
}  // namespace wakegate
