#include "mgmt/metrics/collector.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

#include "gateway/files/temporary_folder.h"
#include "gateway/ledger/writer.h"
#include "prometheus/text_serializer.h"

namespace wakegate {
namespace {

class CollectorTest : public testing::Test {
 protected:
  void SetUp() override {
    auto view = std::make_shared<View>();
    view->desired.set_generation(5);
    view->connection = absl::OkStatus();
    view->sync = absl::OkStatus();
    view->dataplane.mutable_status()->set_version("0.9.0");
    view->dataplane.mutable_status()->mutable_start_time()->set_seconds(1'700'000'000);
    v1::PortStatus& port = *view->dataplane.add_ports();
    port.set_name("tap0");
    port.set_kind("tap");
    port.set_state(v1::PortStatus::STATE_NO_CARRIER);
    auto reader = ledger::Reader::Open(writer_->path());
    ASSERT_TRUE(reader.ok()) << reader.status();
    view->ledger = std::shared_ptr<const ledger::Reader>(*std::move(reader));
    view_ = view;
  }
  std::string Scrape() const {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, Collector([this] { return view_; }).Collect());
    return out.str();
  }
  // Whether the scrape has this line.
  testing::AssertionResult Has(const std::string& line) const {
    const std::string text = "\n" + Scrape();
    if (text.find("\n" + line + "\n") != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no line " << line << " in " << text;
  }

  const TemporaryFolder folder_;
  // 2 GHz: 2e9 cycles are a second.
  const std::unique_ptr<ledger::Writer> writer_ =
      *ledger::Writer::Create(folder_.path(), "boot-1", 2'000'000'000);
  std::shared_ptr<const View> view_ = std::make_shared<View>();
};

TEST_F(CollectorTest, CountersHaveTheirQueueAndTheirReason) {
  auto rx = *writer_->AddRxQueue("tap0", 1, 0);
  rx.block().counters[ledger::RxCounter::kPackets].Add(12345678901);
  rx.block().drops[ledger::DropReason::kRunt].Add(2);
  rx.block().system_calls[ledger::SystemCall::kRead].Add(3);
  EXPECT_TRUE(Has("wakegate_rx_queue_packets_total{port=\"tap0\",queue=\"1\"} 12345678901"));
  EXPECT_TRUE(
      Has("wakegate_rx_queue_dropped_packets_total{port=\"tap0\",queue=\"1\",reason=\"runt\"} 2"));
  EXPECT_TRUE(Has(
      "wakegate_rx_queue_dropped_packets_total{port=\"tap0\",queue=\"1\",reason=\"too_long\"} 0"));
  EXPECT_TRUE(
      Has("wakegate_rx_queue_system_calls_total{port=\"tap0\",queue=\"1\",kind=\"read\"} 3"));
  EXPECT_TRUE(Has("wakegate_rx_queue_info{port=\"tap0\",queue=\"1\",worker=\"0\"} 1"));
}

TEST_F(CollectorTest, CyclesAndMicrosecondsAreSeconds) {
  auto worker = *writer_->AddWorker(3);
  worker.block().counters[ledger::WorkerCounter::kBusyCycles].Add(3'000'000'000);
  worker.block().levels[ledger::WorkerLevel::kLongestIterationCycles].Set(2'000'000);
  EXPECT_TRUE(Has("wakegate_worker_busy_seconds_total{worker=\"3\"} 1.5"));
  EXPECT_TRUE(Has("wakegate_worker_longest_iteration_seconds{worker=\"3\"} 0.001"));
  EXPECT_TRUE(Has("# TYPE wakegate_worker_longest_iteration_seconds gauge"));
  EXPECT_TRUE(
      Has("# HELP wakegate_worker_busy_seconds_total Seconds in turns that moved a packet."));
}

TEST_F(CollectorTest, HistogramsAreCumulativeAndInBaseUnits) {
  auto tx = *writer_->AddTxQueue("tap0", 0, 0);
  for (const uint64_t microseconds : {1, 2, 3, 2'000'000}) {
    tx.block().hold_microseconds.Record(microseconds);
  }
  const std::string name = "wakegate_tx_queue_hold_seconds";
  const std::string labels = "{port=\"tap0\",queue=\"0\"";
  EXPECT_TRUE(Has(name + "_bucket" + labels + ",le=\"1e-06\"} 1"));
  EXPECT_TRUE(Has(name + "_bucket" + labels + ",le=\"2e-06\"} 2"));
  EXPECT_TRUE(Has(name + "_bucket" + labels + ",le=\"4e-06\"} 3"));
  EXPECT_TRUE(Has(name + "_bucket" + labels + ",le=\"+Inf\"} 4"));
  EXPECT_TRUE(Has(name + "_count" + labels + "} 4"));
  EXPECT_TRUE(Has(name + "_sum" + labels + "} 2.000006"));
}

TEST_F(CollectorTest, TheBooksAreThoseOfTheWholeGateway) {
  {
    auto rx = *writer_->AddRxQueue("gone", 0, 0);
    rx.block().counters[ledger::RxCounter::kPackets].Add(10);
    rx.block().drops[ledger::DropReason::kNoForwarding].Add(4);
  }
  auto tx = *writer_->AddTxQueue("tap0", 0, 0);
  tx.block().counters[ledger::TxCounter::kPackets].Add(5);
  tx.block().levels[ledger::TxLevel::kHeld].Set(2);
  EXPECT_TRUE(Has("wakegate_gateway_received_packets_total 10"));
  EXPECT_TRUE(Has("wakegate_gateway_dropped_packets_total 4"));
  EXPECT_TRUE(Has("wakegate_gateway_sent_packets_total 5"));
  EXPECT_TRUE(Has("wakegate_gateway_held_packets 2"));
  EXPECT_TRUE(Has("wakegate_gateway_books_difference_packets -1"));
}

TEST_F(CollectorTest, SeriesOfARemovedPortVanish) {
  {
    auto rx = *writer_->AddRxQueue("gone", 0, 0);
    auto port = *writer_->AddPort("gone");
    EXPECT_NE(Scrape().find("port=\"gone\""), std::string::npos);
  }
  EXPECT_EQ(Scrape().find("port=\"gone\""), std::string::npos);
}

TEST_F(CollectorTest, TheDataPlaneIsDescribed) {
  EXPECT_TRUE(Has("wakegate_dataplane_up 1"));
  EXPECT_TRUE(Has("wakegate_dataplane_in_sync 1"));
  EXPECT_TRUE(Has("wakegate_dataplane_info{version=\"0.9.0\"} 1"));
  EXPECT_TRUE(Has("wakegate_dataplane_start_time_seconds 1700000000"));
  EXPECT_TRUE(Has("wakegate_config_generation 5"));
  EXPECT_TRUE(Has("wakegate_port_up{port=\"tap0\",kind=\"tap\"} 0"));
}

TEST_F(CollectorTest, WithoutADataPlaneOnlyMgmtIsDescribed) {
  view_ = std::make_shared<View>();
  EXPECT_EQ(Collector([this] { return view_; }).Collect().size(), 4U);
  EXPECT_TRUE(Has("wakegate_dataplane_up 0"));
  EXPECT_TRUE(Has("wakegate_dataplane_in_sync 0"));
}

}  // namespace
}  // namespace wakegate
