#include "mgmt/metrics/gateway_metrics.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/version/version.h"
#include "google/protobuf/util/time_util.h"

namespace wakegate {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;
using Series = std::vector<ClientMetric>;

ClientMetric Gauge(double value, std::vector<ClientMetric::Label> labels = {}) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.gauge.value = value;
  return metric;
}

Series BuildInfo(const Scrape&) { return {Gauge(1, {{"version", kVersion}})}; }

Series DataplaneUp(const Scrape& scrape) { return {Gauge(scrape.view.connection.ok() ? 1 : 0)}; }

Series DataplaneInSync(const Scrape& scrape) { return {Gauge(scrape.view.in_sync() ? 1 : 0)}; }

Series DataplaneInfo(const Scrape& scrape) {
  if (!scrape.view.connection.ok()) return {};
  return {Gauge(1, {{"version", scrape.view.dataplane.status().version()}})};
}

Series DataplaneStartTime(const Scrape& scrape) {
  if (!scrape.view.connection.ok()) return {};
  const int64_t milliseconds = google::protobuf::util::TimeUtil::TimestampToMilliseconds(
      scrape.view.dataplane.status().start_time());
  return {Gauge(static_cast<double>(milliseconds) / 1e3)};
}

Series ConfigGeneration(const Scrape& scrape) {
  return {Gauge(static_cast<double>(scrape.view.desired.generation()))};
}

Series PortUp(const Scrape& scrape) {
  Series series;
  if (!scrape.view.connection.ok()) return series;
  for (const v1::PortStatus& port : scrape.view.dataplane.ports()) {
    series.push_back(Gauge(port.state() == v1::PortStatus::STATE_UP ? 1 : 0,
                           {{"port", port.name()}, {"kind", port.kind()}}));
  }
  return series;
}

Series QueueInfo(const Scrape& scrape, ledger::SlotKind kind) {
  Series series;
  if (scrape.snapshot == nullptr) return series;
  for (const ledger::SlotSnapshot& slot : scrape.snapshot->slots) {
    const ledger::SlotIdentity& identity = slot.identity();
    if (identity.kind != kind) continue;
    series.push_back(Gauge(1, {{"port", identity.port},
                               {"queue", absl::StrCat(identity.queue)},
                               {"worker", absl::StrCat(identity.worker)}}));
  }
  return series;
}

GatewayMetric BooksCounter(const char* what, const char* help, uint64_t ledger::Books::*field) {
  return {MetricType::Counter,
          absl::StrCat("wakegate_gateway_", what, "_packets_total"),
          help,
          {},
          [field](const Scrape& scrape) -> Series {
            if (scrape.snapshot == nullptr) return {};
            ClientMetric metric;
            metric.counter.value = static_cast<double>(scrape.books.*field);
            return {metric};
          }};
}

Series Held(const Scrape& scrape) {
  if (scrape.snapshot == nullptr) return {};
  return {Gauge(static_cast<double>(scrape.books.held))};
}

Series Difference(const Scrape& scrape) {
  if (scrape.snapshot == nullptr) return {};
  return {Gauge(static_cast<double>(scrape.books.difference()))};
}

void AddProcessMetrics(std::vector<GatewayMetric>& table) {
  const MetricType gauge = MetricType::Gauge;
  table.push_back({gauge,
                   "wakegate_build_info",
                   "1; the label is the version of wakegate-mgmt.",
                   {"version"},
                   BuildInfo});
  table.push_back({gauge,
                   "wakegate_dataplane_up",
                   "1 while the data plane answers, otherwise 0: then it has no other series.",
                   {},
                   DataplaneUp});
  table.push_back({gauge,
                   "wakegate_dataplane_in_sync",
                   "1 while the data plane runs the wanted configuration, otherwise 0.",
                   {},
                   DataplaneInSync});
  table.push_back({gauge,
                   "wakegate_dataplane_info",
                   "1; the label is the data plane's version.",
                   {"version"},
                   DataplaneInfo});
  table.push_back({gauge,
                   "wakegate_dataplane_start_time_seconds",
                   "Unix time at which the data plane started, from when on its counters count.",
                   {},
                   DataplaneStartTime});
  table.push_back({gauge,
                   "wakegate_config_generation",
                   "The generation that is wanted.",
                   {},
                   ConfigGeneration});
  table.push_back({gauge,
                   "wakegate_port_up",
                   "1 while the port carries traffic, otherwise 0.",
                   {"port", "kind"},
                   PortUp});
  table.push_back({gauge,
                   "wakegate_rx_queue_info",
                   "1; the label is the worker that polls the queue.",
                   {"port", "queue", "worker"},
                   [](const Scrape& s) { return QueueInfo(s, ledger::SlotKind::kRxQueue); }});
  table.push_back({gauge,
                   "wakegate_tx_queue_info",
                   "1; the label is the worker that owns the queue.",
                   {"port", "queue", "worker"},
                   [](const Scrape& s) { return QueueInfo(s, ledger::SlotKind::kTxQueue); }});
}

void AddBooks(std::vector<GatewayMetric>& table) {
  using ledger::Books;
  table.push_back(BooksCounter("received", "Packets received by all queues there are or were.",
                               &Books::received));
  table.push_back(BooksCounter(
      "created", "Packets that segmentation made in excess of the one received.", &Books::created));
  table.push_back(
      BooksCounter("sent", "Packets accepted by the kernel or the ring.", &Books::sent));
  table.push_back(BooksCounter("dropped", "Packets dropped, for any reason.", &Books::dropped));
  table.push_back(
      BooksCounter("merged", "Packets that coalescing made part of another.", &Books::merged));
  table.push_back({MetricType::Gauge,
                   "wakegate_gateway_held_packets",
                   "Packets in hand-over rings or waiting for a peer to have room.",
                   {},
                   Held});
  table.push_back({MetricType::Gauge,
                   "wakegate_gateway_books_difference_packets",
                   "received + created - sent - dropped - merged - held: 0 while no packet moves.",
                   {},
                   Difference});
}

}  // namespace

const std::vector<GatewayMetric>& GatewayMetrics() {
  static const auto& table = *[] {
    auto* metrics = new std::vector<GatewayMetric>;
    AddProcessMetrics(*metrics);
    AddBooks(*metrics);
    return metrics;
  }();
  return table;
}

std::vector<prometheus::MetricFamily> GatewayFamilies(const Scrape& scrape) {
  std::vector<prometheus::MetricFamily> families;
  for (const GatewayMetric& metric : GatewayMetrics()) {
    Series series = metric.series(scrape);
    if (series.empty()) continue;
    families.push_back({metric.name, metric.help, metric.type, std::move(series)});
  }
  return families;
}

}  // namespace wakegate
