// The real exposer, checked by the real promtool.
#include "mgmt/metrics/exporter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/files/temporary_folder.h"
#include "gateway/ledger/writer.h"
#include "mgmt/testing/scrape.h"

namespace wakegate {
namespace {

class ExporterTest : public testing::Test {
 protected:
  void Start() {
    auto exporter = Exporter::Start([this] { return view_; }, *ListenAddress::Parse("127.0.0.1:0"));
    ASSERT_TRUE(exporter.ok()) << exporter.status();
    exporter_ = *std::move(exporter);
  }
  void ConnectDataplane() {
    auto view = std::make_shared<View>();
    view->connection = absl::OkStatus();
    view->dataplane.mutable_status()->set_version("1.2.3");
    view->dataplane.add_ports()->set_name("tap0");
    view->ledger = std::shared_ptr<const ledger::Reader>(*ledger::Reader::Open(writer_->path()));
    view_ = view;
  }
  // What promtool has to say about it; empty: nothing.
  std::string Promtool(const std::string& metrics) const {
    const std::string path = folder_.path() + "/metrics";
    std::ofstream(path) << metrics;
    FILE* pipe = popen(absl::StrCat("promtool check metrics < ", path, " 2>&1").c_str(), "r");
    std::string output;
    for (int c = 0; (c = fgetc(pipe)) != EOF;) output.push_back(static_cast<char>(c));
    const int status = pclose(pipe);
    return status == 0 ? output : absl::StrCat("status ", status, ": ", output);
  }

  const TemporaryFolder folder_;
  const std::unique_ptr<ledger::Writer> writer_ =
      *ledger::Writer::Create(folder_.path(), "boot-1", 2'000'000'000);
  ledger::RxQueueSlot rx_ = *writer_->AddRxQueue("tap0", 0, 0);
  ledger::TxQueueSlot tx_ = *writer_->AddTxQueue("tap0", 0, 0);
  ledger::WorkerSlot worker_ = *writer_->AddWorker(0);
  ledger::PortSlot port_ = *writer_->AddPort("tap0");
  std::shared_ptr<const View> view_ = std::make_shared<View>();
  std::unique_ptr<Exporter> exporter_;
};

TEST_F(ExporterTest, PromtoolFindsNothingToSay) {
  ConnectDataplane();
  Start();
  const std::string metrics = ScrapeMetrics(exporter_->port());
  EXPECT_NE(metrics.find("wakegate_tx_queue_hold_seconds_bucket"), std::string::npos);
  EXPECT_EQ(Promtool(metrics), "");
  // It does say something where there is something.
  EXPECT_NE(Promtool("# TYPE packets counter\npackets 1\n"), "");
}

TEST_F(ExporterTest, AScrapeWithoutADataPlaneSaysSo) {
  Start();
  const std::string metrics = ScrapeMetrics(exporter_->port());
  EXPECT_NE(metrics.find("\nwakegate_dataplane_up 0\n"), std::string::npos) << metrics;
  EXPECT_EQ(Promtool(metrics), "");
}

TEST_F(ExporterTest, TwoScrapersBothSeeCountersThatOnlyGrow) {
  ConnectDataplane();
  Start();
  std::vector<std::thread> scrapers;
  for (int i = 0; i < 2; ++i) {
    scrapers.emplace_back([this] {
      const std::string key = "\nwakegate_rx_queue_packets_total{port=\"tap0\",queue=\"0\"} ";
      long last = 0;
      for (int scrape = 0; scrape < 20; ++scrape) {
        const std::string metrics = ScrapeMetrics(exporter_->port());
        const std::size_t at = metrics.find(key);
        ASSERT_NE(at, std::string::npos);
        const long value = std::strtol(metrics.c_str() + at + key.size(), nullptr, 10);
        EXPECT_GE(value, last);
        last = value;
      }
      EXPECT_GT(last, 0);
    });
  }
  std::jthread traffic([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      rx_.block().counters[ledger::RxCounter::kPackets].Add(1);
      usleep(10);
    }
  });
  for (std::thread& scraper : scrapers) scraper.join();
}

TEST_F(ExporterTest, AnAddressInUseIsSaid) {
  Start();
  const auto second =
      Exporter::Start([this] { return view_; },
                      *ListenAddress::Parse(absl::StrCat("127.0.0.1:", exporter_->port())));
  EXPECT_TRUE(absl::IsAlreadyExists(second.status())) << second.status();
  EXPECT_NE(second.status().message().find("--metrics-listen"), absl::string_view::npos);
}

}  // namespace
}  // namespace wakegate
