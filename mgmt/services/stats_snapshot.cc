#include "mgmt/services/stats_snapshot.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gateway/config/quote.h"
#include "gateway/ledger/books.h"
#include "google/protobuf/util/time_util.h"

namespace wakegate {
namespace {

using CounterMap = google::protobuf::Map<std::string, uint64_t>;

template <class Enum, std::size_t kCount>
void Add(const ledger::CounterArray<Enum, kCount>& array,
         const std::array<ledger::Name, kCount>& names, CounterMap& map) {
  for (std::size_t i = 0; i < kCount; ++i) map[std::string(names[i].name)] = array.cells[i].Get();
}

template <std::size_t kBounds>
v1::Histogram ToProto(const ledger::Histogram<kBounds>& histogram) {
  v1::Histogram result;
  for (std::size_t i = 0; i < kBounds; ++i) result.add_upper_bounds(histogram.UpperBound(i));
  for (const ledger::Counter& bucket : histogram.buckets) result.add_counts(bucket.Get());
  result.set_sum(histogram.sum.Get());
  return result;
}

void AddIdentity(const ledger::SlotIdentity& identity, v1::Direction direction,
                 v1::QueueStats& queue) {
  queue.set_port(identity.port);
  queue.set_direction(direction);
  queue.set_queue(identity.queue);
  queue.set_worker(identity.worker);
}

void AddRxQueue(const ledger::SlotSnapshot& slot, v1::StatsSnapshot& snapshot) {
  v1::QueueStats& queue = *snapshot.add_queues();
  AddIdentity(slot.identity(), v1::DIRECTION_RX, queue);
  const ledger::RxQueueBlock& rx = slot.rx();
  Add(rx.counters, ledger::kRxCounterNames, *queue.mutable_counters());
  Add(rx.levels, ledger::kRxLevelNames, *queue.mutable_counters());
  Add(rx.drops, ledger::kDropReasonNames, *queue.mutable_drops_by_reason());
  Add(rx.system_calls, ledger::kSystemCallNames, *queue.mutable_system_calls_by_kind());
  Add(rx.wakes, ledger::kWakeCauseNames, *queue.mutable_wakes_by_cause());
  Add(rx.errors, ledger::kErrorKindNames, *queue.mutable_errors_by_kind());
  (*queue.mutable_histograms())["batch_size"] = ToProto(rx.batch_size);
}

void AddTxQueue(const ledger::SlotSnapshot& slot, v1::StatsSnapshot& snapshot) {
  v1::QueueStats& queue = *snapshot.add_queues();
  AddIdentity(slot.identity(), v1::DIRECTION_TX, queue);
  const ledger::TxQueueBlock& tx = slot.tx();
  Add(tx.counters, ledger::kTxCounterNames, *queue.mutable_counters());
  Add(tx.levels, ledger::kTxLevelNames, *queue.mutable_counters());
  Add(tx.drops, ledger::kDropReasonNames, *queue.mutable_drops_by_reason());
  Add(tx.system_calls, ledger::kSystemCallNames, *queue.mutable_system_calls_by_kind());
  Add(tx.wakes, ledger::kWakeCauseNames, *queue.mutable_wakes_by_cause());
  Add(tx.flushes, ledger::kFlushCauseNames, *queue.mutable_flushes_by_cause());
  Add(tx.errors, ledger::kErrorKindNames, *queue.mutable_errors_by_kind());
  (*queue.mutable_histograms())["batch_size"] = ToProto(tx.batch_size);
  (*queue.mutable_histograms())["hold_microseconds"] = ToProto(tx.hold_microseconds);
}

void AddWorker(const ledger::SlotSnapshot& slot, v1::StatsSnapshot& snapshot) {
  v1::WorkerStats& stats = *snapshot.add_workers();
  stats.set_worker(slot.identity().worker);
  const ledger::WorkerBlock& worker = slot.worker();
  Add(worker.counters, ledger::kWorkerCounterNames, *stats.mutable_counters());
  Add(worker.levels, ledger::kWorkerLevelNames, *stats.mutable_counters());
  Add(worker.wakes, ledger::kWakeCauseNames, *stats.mutable_wakes_by_cause());
  Add(worker.system_calls, ledger::kSystemCallNames, *stats.mutable_system_calls_by_kind());
  (*stats.mutable_histograms())["wake_to_packet_microseconds"] =
      ToProto(worker.wake_to_packet_microseconds);
}

void AddPort(const ledger::SlotSnapshot& slot, v1::StatsSnapshot& snapshot) {
  v1::PortStats& stats = *snapshot.add_ports();
  stats.set_port(slot.identity().port);
  Add(slot.port().counters, ledger::kPortCounterNames, *stats.mutable_counters());
}

void AddBooks(const ledger::Books& books, v1::Books& result) {
  result.set_received(books.received);
  result.set_created(books.created);
  result.set_sent(books.sent);
  result.set_dropped(books.dropped);
  result.set_held(books.held);
  result.set_merged(books.merged);
  result.set_difference(books.difference());
}

void AddSlot(const ledger::SlotSnapshot& slot, const PortFilter& filter,
             v1::StatsSnapshot& snapshot) {
  const ledger::SlotKind kind = slot.identity().kind;
  if (kind == ledger::SlotKind::kWorker) return AddWorker(slot, snapshot);
  if (!filter.empty() && !filter.contains(slot.identity().port)) return;
  if (kind == ledger::SlotKind::kRxQueue) AddRxQueue(slot, snapshot);
  if (kind == ledger::SlotKind::kTxQueue) AddTxQueue(slot, snapshot);
  if (kind == ledger::SlotKind::kPort) AddPort(slot, snapshot);
}

}  // namespace

absl::StatusOr<PortFilter> MakePortFilter(
    const View& view, const google::protobuf::RepeatedPtrField<std::string>& names) {
  std::vector<std::string> known;
  for (const v1::PortStatus& port : view.dataplane.ports()) known.push_back(port.name());
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return absl::NotFoundError(
        absl::StrCat("ports: no port ", Quoted(name), SuggestName(name, known)));
  }
  return PortFilter(names.begin(), names.end());
}

absl::StatusOr<v1::StatsSnapshot> TakeStats(const View& view, const PortFilter& filter) {
  if (!view.ledger.ok()) return view.ledger.status();
  const ledger::Reader& reader = **view.ledger;
  v1::StatsSnapshot result;
  // TimeUtil::GetCurrentTime() knows whole seconds only, too coarse for the rates of an interval.
  *result.mutable_time() =
      google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::GetCurrentTimeNanos());
  result.set_boot_id(reader.boot_id());
  result.set_tsc_hz(reader.tsc_hz());
  const ledger::Snapshot snapshot = reader.Take();
  for (const ledger::SlotSnapshot& slot : snapshot.slots) AddSlot(slot, filter, result);
  const auto key = [](const v1::QueueStats* queue) {
    return std::make_tuple(std::string_view(queue->port()), queue->direction(), queue->queue());
  };
  auto& queues = *result.mutable_queues();
  std::sort(queues.pointer_begin(), queues.pointer_end(),
            [&](const auto* a, const auto* b) { return key(a) < key(b); });
  AddBooks(ledger::ComputeBooks(snapshot), *result.mutable_books());
  return result;
}

}  // namespace wakegate
