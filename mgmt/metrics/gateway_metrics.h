// The metrics of the gateway as a whole: those that are not counts of one slot of the ledger.
#ifndef MGMT_METRICS_GATEWAY_METRICS_H_
#define MGMT_METRICS_GATEWAY_METRICS_H_

#include <functional>
#include <string>
#include <vector>

#include "gateway/ledger/books.h"
#include "mgmt/controller/view.h"
#include "prometheus/client_metric.h"
#include "prometheus/metric_family.h"
#include "prometheus/metric_type.h"

namespace wakegate {

// What a scrape looks at.
struct Scrape {
  const View& view;
  // Null while the data plane does not answer.
  const ledger::Snapshot* snapshot = nullptr;
  // Of the snapshot.
  ledger::Books books = {};
};

struct GatewayMetric {
  prometheus::MetricType type;
  std::string name;
  std::string help;
  std::vector<std::string> labels;
  // Its series now; none where it is not known.
  std::function<std::vector<prometheus::ClientMetric>(const Scrape&)> series;
};

// In the order of the documentation. Made once; thread safe.
const std::vector<GatewayMetric>& GatewayMetrics();

std::vector<prometheus::MetricFamily> GatewayFamilies(const Scrape& scrape);

}  // namespace wakegate

#endif  // MGMT_METRICS_GATEWAY_METRICS_H_
