// The table of the metrics that the ledger's slots hold: a line of names.h or a histogram of
// layout.h each. The scrape and docs/METRICS.md are made from it.
#ifndef MGMT_METRICS_LEDGER_METRICS_H_
#define MGMT_METRICS_LEDGER_METRICS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/ledger/reader.h"
#include "prometheus/metric_type.h"

namespace wakegate {

// What the ledger counts in; Prometheus wants base units.
enum class LedgerUnit { kAsIs, kCycles, kMicroseconds };

// The cells of one metric in one slot.
struct LedgerCells {
  // One; or one for each label value; or a histogram's buckets.
  std::span<const ledger::Counter> cells;
  const ledger::Counter* sum = nullptr;  // Of a histogram.
};

struct LedgerMetric {
  ledger::SlotKind subject;
  prometheus::MetricType type;
  std::string name;     // "wakegate_rx_queue_packets_total".
  std::string api_key;  // Where GetStats has it: "counters[packets]".
  std::string help;
  LedgerUnit unit = LedgerUnit::kAsIs;
  // The label that tells its series in a slot apart, and its values. Empty: there is one series.
  std::string label = {};
  std::span<const ledger::Name> label_values = {};
  std::function<LedgerCells(const ledger::SlotSnapshot&)> cells;
};

// In the order of the documentation. Made once; thread safe.
const std::vector<LedgerMetric>& LedgerMetrics();

}  // namespace wakegate

#endif  // MGMT_METRICS_LEDGER_METRICS_H_
