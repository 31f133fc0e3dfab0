// The ledger's counts as Prometheus has them. Pure.
#ifndef MGMT_METRICS_LEDGER_FAMILIES_H_
#define MGMT_METRICS_LEDGER_FAMILIES_H_

#include <cstdint>
#include <vector>

#include "gateway/ledger/reader.h"
#include "prometheus/metric_family.h"

namespace wakegate {

// One family for each line of LedgerMetrics that has a slot; all of its series, those at 0 too.
std::vector<prometheus::MetricFamily> LedgerFamilies(const ledger::Snapshot& snapshot,
                                                     uint64_t tsc_hz);

}  // namespace wakegate

#endif  // MGMT_METRICS_LEDGER_FAMILIES_H_
