#include "mgmt/metrics/collector.h"

#include <iterator>

#include "gateway/ledger/books.h"
#include "mgmt/metrics/gateway_metrics.h"
#include "mgmt/metrics/ledger_families.h"

namespace wakegate {

std::vector<prometheus::MetricFamily> Collector::Collect() const {
  const std::shared_ptr<const View> view = view_();
  if (!view->ledger.ok()) return GatewayFamilies({.view = *view});
  const ledger::Reader& reader = **view->ledger;
  const ledger::Snapshot snapshot = reader.Take();
  std::vector<prometheus::MetricFamily> families = GatewayFamilies(
      {.view = *view, .snapshot = &snapshot, .books = ledger::ComputeBooks(snapshot)});
  std::vector<prometheus::MetricFamily> of_ledger = LedgerFamilies(snapshot, reader.tsc_hz());
  families.insert(families.end(), std::make_move_iterator(of_ledger.begin()),
                  std::make_move_iterator(of_ledger.end()));
  return families;
}

}  // namespace wakegate
