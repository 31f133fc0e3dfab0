// What a scrape of wakegate-mgmt answers.
#ifndef MGMT_METRICS_COLLECTOR_H_
#define MGMT_METRICS_COLLECTOR_H_

#include <utility>
#include <vector>

#include "mgmt/controller/view.h"
#include "prometheus/collectable.h"

namespace wakegate {

// Thread safe: holds no numbers of its own, each scrape reads the ledger anew. So the series of a
// removed port are gone with it, and two scrapers do not disturb each other.
class Collector final : public prometheus::Collectable {
 public:
  explicit Collector(ViewSource view) : view_(std::move(view)) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const ViewSource view_;
};

}  // namespace wakegate

#endif  // MGMT_METRICS_COLLECTOR_H_
