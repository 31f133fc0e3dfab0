#include "mgmt/metrics/ledger_families.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "mgmt/metrics/ledger_metrics.h"

namespace wakegate {
namespace {

using ledger::SlotKind;
using prometheus::ClientMetric;
using prometheus::MetricType;

std::vector<ClientMetric::Label> LabelsOf(const ledger::SlotIdentity& identity) {
  switch (identity.kind) {
    case SlotKind::kRxQueue:
    case SlotKind::kTxQueue:
      return {{"port", identity.port}, {"queue", absl::StrCat(identity.queue)}};
    case SlotKind::kWorker:
      return {{"worker", absl::StrCat(identity.worker)}};
    case SlotKind::kPort:
      return {{"port", identity.port}};
    case SlotKind::kFree:
      break;
  }
  return {};
}

double BaseUnitsOf(LedgerUnit unit, uint64_t tsc_hz) {
  switch (unit) {
    case LedgerUnit::kCycles:
      return 1.0 / static_cast<double>(tsc_hz);
    case LedgerUnit::kMicroseconds:
      return 1e-6;
    case LedgerUnit::kAsIs:
      break;
  }
  return 1.0;
}

// The ledger's buckets are not cumulative and their bounds are powers of two; Prometheus' are
// cumulative.
ClientMetric::Histogram ToHistogram(const LedgerCells& cells, double scale) {
  ClientMetric::Histogram histogram;
  uint64_t cumulative = 0;
  for (std::size_t i = 0; i < cells.cells.size(); ++i) {
    cumulative += cells.cells[i].Get();
    const bool last = i + 1 == cells.cells.size();
    histogram.bucket.push_back(
        {cumulative, last ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(ledger::Histogram<64>::UpperBound(i)) * scale});
  }
  histogram.sample_count = cumulative;
  histogram.sample_sum = static_cast<double>(cells.sum->Get()) * scale;
  return histogram;
}

void AddSeries(const LedgerMetric& metric, const ledger::SlotSnapshot& slot, double scale,
               std::vector<ClientMetric>& series) {
  const LedgerCells cells = metric.cells(slot);
  ClientMetric one;
  one.label = LabelsOf(slot.identity());
  if (metric.type == MetricType::Histogram) {
    one.histogram = ToHistogram(cells, scale);
    series.push_back(std::move(one));
    return;
  }
  for (std::size_t i = 0; i < cells.cells.size(); ++i) {
    ClientMetric each = one;
    if (!metric.label.empty()) {
      each.label.push_back({metric.label, std::string(metric.label_values[i].name)});
    }
    const double value = static_cast<double>(cells.cells[i].Get()) * scale;
    (metric.type == MetricType::Counter ? each.counter.value : each.gauge.value) = value;
    series.push_back(std::move(each));
  }
}

}  // namespace

std::vector<prometheus::MetricFamily> LedgerFamilies(const ledger::Snapshot& snapshot,
                                                     uint64_t tsc_hz) {
  std::vector<prometheus::MetricFamily> families;
  for (const LedgerMetric& metric : LedgerMetrics()) {
    prometheus::MetricFamily family{metric.name, metric.help, metric.type, {}};
    const double scale = BaseUnitsOf(metric.unit, tsc_hz);
    for (const ledger::SlotSnapshot& slot : snapshot.slots) {
      if (slot.identity().kind == metric.subject) AddSeries(metric, slot, scale, family.metric);
    }
    if (!family.metric.empty()) families.push_back(std::move(family));
  }
  return families;
}

}  // namespace wakegate
