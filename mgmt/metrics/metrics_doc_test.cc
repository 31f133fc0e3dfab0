#include "mgmt/metrics/metrics_doc.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "mgmt/metrics/gateway_metrics.h"
#include "mgmt/metrics/ledger_metrics.h"

namespace wakegate {
namespace {

TEST(MetricsDocTest, TheFileIsUpToDate) {
  std::ifstream file("docs/METRICS.md");
  const std::string content(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(content, MetricsDocument())
      << "docs/METRICS.md is stale: bazel run //mgmt/metrics:metrics_doc > docs/METRICS.md";
}

TEST(MetricsDocTest, EveryNameIsThereOnce) {
  std::set<std::string> names;
  for (const GatewayMetric& metric : GatewayMetrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
  }
  for (const LedgerMetric& metric : LedgerMetrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
  }
}

}  // namespace
}  // namespace wakegate
