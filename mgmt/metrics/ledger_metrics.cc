#include "mgmt/metrics/ledger_metrics.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace wakegate {
namespace {

using ledger::Name;
using ledger::SlotKind;
using ledger::SlotSnapshot;
using prometheus::MetricType;

// `key` without its unit, in base units.
std::pair<std::string, LedgerUnit> InBaseUnit(std::string_view key) {
  absl::string_view stem(key.data(), key.size());
  if (absl::ConsumeSuffix(&stem, "_cycles")) {
    return {absl::StrCat(stem, "_seconds"), LedgerUnit::kCycles};
  }
  if (absl::ConsumeSuffix(&stem, "_microseconds")) {
    return {absl::StrCat(stem, "_seconds"), LedgerUnit::kMicroseconds};
  }
  return {std::string(key), LedgerUnit::kAsIs};
}

// The helps of cycles say so; Prometheus has seconds.
std::string InSeconds(std::string_view help) {
  absl::string_view rest(help.data(), help.size());
  return absl::ConsumePrefix(&rest, "TSC cycles ") ? absl::StrCat("Seconds ", rest)
                                                   : std::string(help);
}

// Adds the metrics of one kind of slot.
template <class Block>
class Subject {
 public:
  using BlockOf = const Block& (SlotSnapshot::*)() const;

  Subject(std::vector<LedgerMetric>& table, SlotKind kind, std::string prefix, BlockOf block)
      : table_(table), kind_(kind), prefix_(std::move(prefix)), block_(block) {}

  // A metric for each name.
  template <class Array>
  void Each(Array Block::*array, std::span<const Name> names, MetricType type) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto [what, unit] = InBaseUnit(names[i].name);
      const char* suffix = type == MetricType::Counter ? "_total" : "";
      table_.push_back({.subject = kind_,
                        .type = type,
                        .name = absl::StrCat(prefix_, what, suffix),
                        .api_key = absl::StrCat("counters[", std::string(names[i].name), "]"),
                        .help = InSeconds(names[i].help),
                        .unit = unit,
                        .cells = [array, i, block = block_](const SlotSnapshot& slot) {
                          return LedgerCells{{&((slot.*block)().*array).cells[i], 1}};
                        }});
    }
  }

  // One metric; the names are its label's values.
  template <class Array>
  void Labelled(Array Block::*array, std::span<const Name> names, const char* what,
                const char* label, const char* api_map, const char* help) {
    table_.push_back({.subject = kind_,
                      .type = MetricType::Counter,
                      .name = absl::StrCat(prefix_, what, "_total"),
                      .api_key = absl::StrCat(api_map, "[", label, "]"),
                      .help = help,
                      .label = label,
                      .label_values = names,
                      .cells = [array, block = block_](const SlotSnapshot& slot) {
                        return LedgerCells{((slot.*block)().*array).cells};
                      }});
  }

  template <std::size_t kBounds>
  void Distribution(ledger::Histogram<kBounds> Block::*histogram, const char* key,
                    const char* help) {
    const auto [what, unit] = InBaseUnit(key);
    table_.push_back(
        {.subject = kind_,
         .type = MetricType::Histogram,
         .name = absl::StrCat(prefix_, what, unit == LedgerUnit::kAsIs ? "_packets" : ""),
         .api_key = absl::StrCat("histograms[", key, "]"),
         .help = help,
         .unit = unit,
         .cells = [histogram, block = block_](const SlotSnapshot& slot) {
           const auto& cells = (slot.*block)().*histogram;
           return LedgerCells{cells.buckets, &cells.sum};
         }});
  }

  // What workers and queues have alike.
  void SystemCallsAndWakes() {
    Labelled(&Block::system_calls, ledger::kSystemCallNames, "system_calls", "kind",
             "system_calls_by_kind", "System calls.");
    Labelled(&Block::wakes, ledger::kWakeCauseNames, "wakes", "cause", "wakes_by_cause",
             "Times it was woken.");
  }

  // What both directions of a queue have alike.
  void DropsAndErrors() {
    Labelled(&Block::drops, ledger::kDropReasonNames, "dropped_packets", "reason",
             "drops_by_reason", "Packets dropped.");
    Labelled(&Block::errors, ledger::kErrorKindNames, "errors", "kind", "errors_by_kind",
             "Times the kernel did not take or give a packet.");
  }

 private:
  std::vector<LedgerMetric>& table_;
  const SlotKind kind_;
  const std::string prefix_;
  const BlockOf block_;
};

void AddRxQueue(std::vector<LedgerMetric>& table) {
  using Block = ledger::RxQueueBlock;
  Subject<Block> rx(table, SlotKind::kRxQueue, "wakegate_rx_queue_", &SlotSnapshot::rx);
  rx.Each(&Block::counters, ledger::kRxCounterNames, MetricType::Counter);
  rx.Each(&Block::levels, ledger::kRxLevelNames, MetricType::Gauge);
  rx.DropsAndErrors();
  rx.SystemCallsAndWakes();
  rx.Distribution(&Block::batch_size, "batch_size", "Packets of each look that found some.");
}

void AddTxQueue(std::vector<LedgerMetric>& table) {
  using Block = ledger::TxQueueBlock;
  Subject<Block> tx(table, SlotKind::kTxQueue, "wakegate_tx_queue_", &SlotSnapshot::tx);
  tx.Each(&Block::counters, ledger::kTxCounterNames, MetricType::Counter);
  tx.Each(&Block::levels, ledger::kTxLevelNames, MetricType::Gauge);
  tx.DropsAndErrors();
  tx.SystemCallsAndWakes();
  tx.Labelled(&Block::flushes, ledger::kFlushCauseNames, "flushes", "cause", "flushes_by_cause",
              "Times held packets were pushed to the peer.");
  tx.Distribution(&Block::batch_size, "batch_size", "Packets of each send.");
  tx.Distribution(&Block::hold_microseconds, "hold_microseconds",
                  "Seconds from the first packet held to the flush.");
}

void AddWorker(std::vector<LedgerMetric>& table) {
  using Block = ledger::WorkerBlock;
  Subject<Block> worker(table, SlotKind::kWorker, "wakegate_worker_", &SlotSnapshot::worker);
  worker.Each(&Block::counters, ledger::kWorkerCounterNames, MetricType::Counter);
  worker.Each(&Block::levels, ledger::kWorkerLevelNames, MetricType::Gauge);
  worker.SystemCallsAndWakes();
  worker.Distribution(&Block::wake_to_packet_microseconds, "wake_to_packet_microseconds",
                      "Seconds from the end of a sleep to the first packet.");
}

void AddPort(std::vector<LedgerMetric>& table) {
  using Block = ledger::PortBlock;
  Subject<Block> port(table, SlotKind::kPort, "wakegate_port_", &SlotSnapshot::port);
  port.Each(&Block::counters, ledger::kPortCounterNames, MetricType::Counter);
}

}  // namespace

const std::vector<LedgerMetric>& LedgerMetrics() {
  static const auto& table = *[] {
    auto* metrics = new std::vector<LedgerMetric>;
    AddRxQueue(*metrics);
    AddTxQueue(*metrics);
    AddWorker(*metrics);
    AddPort(*metrics);
    return metrics;
  }();
  return table;
}

}  // namespace wakegate
