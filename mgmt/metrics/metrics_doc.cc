#include "mgmt/metrics/metrics_doc.h"

#include <span>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gateway/ledger/names.h"
#include "mgmt/metrics/gateway_metrics.h"
#include "mgmt/metrics/ledger_metrics.h"

namespace wakegate {
namespace {

constexpr char kIntroduction[] =
    R"(<!-- Made by `bazel run //mgmt/metrics:metrics_doc`; do not edit. -->
# Metrics

What Wakegate counts, for Prometheus (`http://127.0.0.1:9471/metrics`) and for the API
(`wakegate.v1.StatsService`, `wakegatectl stats`). Both read the same counters, which the data
plane's workers write to shared memory: to look at them costs the workers nothing.

- Counters count from the start of the data plane (`wakegate_dataplane_start_time_seconds`) and
  begin at 0 with each queue. Gauges go up and down.
- The series of a removed port vanish. Its packets stay in the `wakegate_gateway_…` counters.
- "API" is where GetStats has it; its cycles and microseconds are seconds here.
- Conservation: received + created = sent + dropped + merged + held, while no packet moves.
- The HTTP server adds `exposer_…`: its own scrapes, bytes and latencies.
)";

std::string TypeName(prometheus::MetricType type) {
  switch (type) {
    case prometheus::MetricType::Counter:
      return "counter";
    case prometheus::MetricType::Gauge:
      return "gauge";
    case prometheus::MetricType::Histogram:
      return "histogram";
    case prometheus::MetricType::Summary:
    case prometheus::MetricType::Untyped:
      break;
  }
  return "untyped";
}

void AppendGateway(std::string& text) {
  absl::StrAppend(&text,
                  "\n## The gateway\n\n| Name | Type | Labels | Meaning |\n|---|---|---|---|\n");
  for (const GatewayMetric& metric : GatewayMetrics()) {
    absl::StrAppend(&text, "| `", metric.name, "` | ", TypeName(metric.type), " | ",
                    absl::StrJoin(metric.labels, ", "), " | ", metric.help, " |\n");
  }
}

void AppendSubject(ledger::SlotKind kind, const char* title, const char* labels,
                   std::string& text) {
  absl::StrAppend(&text, "\n## ", title, "\n\nLabels: ", labels,
                  "; and the one in the table.\n\n"
                  "| Name | Type | Label | API | Meaning |\n|---|---|---|---|---|\n");
  for (const LedgerMetric& metric : LedgerMetrics()) {
    if (metric.subject != kind) continue;
    absl::StrAppend(&text, "| `", metric.name, "` | ", TypeName(metric.type), " | ", metric.label,
                    " | `", metric.api_key, "` | ", metric.help, " |\n");
  }
}

void AppendValues(const char* title, std::span<const ledger::Name> names, std::string& text) {
  absl::StrAppend(&text, "\n### ", title, "\n\n| Value | Meaning |\n|---|---|\n");
  for (const ledger::Name& name : names) {
    absl::StrAppend(&text, "| `", std::string(name.name), "` | ", std::string(name.help), " |\n");
  }
}

}  // namespace

std::string MetricsDocument() {
  std::string text = kIntroduction;
  AppendGateway(text);
  AppendSubject(ledger::SlotKind::kRxQueue, "Receive queues", "`port`, `queue`", text);
  AppendSubject(ledger::SlotKind::kTxQueue, "Transmit queues", "`port`, `queue`", text);
  AppendSubject(ledger::SlotKind::kWorker, "Workers", "`worker`", text);
  AppendSubject(ledger::SlotKind::kPort, "Ports", "`port`", text);
  absl::StrAppend(&text, "\n## Values of labels\n");
  AppendValues("`reason` of `…_dropped_packets_total`", ledger::kDropReasonNames, text);
  AppendValues("`cause` of `…_wakes_total`", ledger::kWakeCauseNames, text);
  AppendValues("`cause` of `…_flushes_total`", ledger::kFlushCauseNames, text);
  AppendValues("`kind` of `…_system_calls_total`", ledger::kSystemCallNames, text);
  AppendValues("`kind` of `…_errors_total`", ledger::kErrorKindNames, text);
  return text;
}

}  // namespace wakegate
