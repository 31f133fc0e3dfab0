// Two snapshots one second apart, of a gateway with a busy tap and a veth whose peer is slow.
#ifndef GATEWAY_CTL_SNAPSHOTS_FOR_TEST_H_
#define GATEWAY_CTL_SNAPSHOTS_FOR_TEST_H_

#include "gateway/config/text.h"
#include "wakegate/v1/stats.pb.h"

namespace wakegate {

inline v1::StatsSnapshot SnapshotOf(const char* yaml) {
  v1::StatsSnapshot snapshot;
  const absl::Status status = ParseMessage(yaml, "snapshot", snapshot);
  if (!status.ok()) *snapshot.mutable_boot_id() = status.ToString();
  return snapshot;
}

inline v1::StatsSnapshot FirstSnapshot() {
  return SnapshotOf(R"(
time: 2026-01-01T12:00:00Z
boot_id: one
tsc_hz: 2000000000
queues:
- {port: tap0, direction: DIRECTION_RX, queue: 0, counters: {packets: 1000, bytes: 64000, polls: 10}}
- {port: veth0, direction: DIRECTION_TX, queue: 0, counters: {packets: 900, bytes: 57600},
   drops_by_reason: {link_down: 100}}
workers:
- {worker: 0, counters: {iterations: 100, busy_cycles: 1000, idle_cycles: 1000, asleep_cycles: 1000}}
books: {received: 1000, sent: 900, dropped: 100}
)");
}

inline v1::StatsSnapshot SecondSnapshot() {
  return SnapshotOf(R"(
time: 2026-01-01T12:00:01Z
boot_id: one
tsc_hz: 2000000000
queues:
- port: tap0
  direction: DIRECTION_RX
  queue: 0
  counters: {packets: 101000, bytes: 125064000, polls: 3210, empty_polls: 12,
             polls_from_memory: 1234567, checksums_completed: 50000}
  system_calls_by_kind: {read: 3100, poll: 0}
  wakes_by_cause: {packet: 120, timer: 3}
- port: veth0
  direction: DIRECTION_TX
  queue: 0
  counters: {packets: 100800, bytes: 124874400, kicks_sent: 3125, kicks_merged: 10,
             kicks_not_needed: 7, retries: 42, held_packets: 50}
  drops_by_reason: {link_down: 100, backlog_full: 50}
  system_calls_by_kind: {send: 3125}
  flushes_by_cause: {immediate: 3100, full: 25}
  errors_by_kind: {again: 42}
workers:
- worker: 0
  counters: {iterations: 500100, busy_cycles: 1200001000, idle_cycles: 600001000,
             asleep_cycles: 200001000, sleeps: 123, longest_iteration_cycles: 170000}
  wakes_by_cause: {packet: 120, spurious: 3}
  system_calls_by_kind: {poll: 123, eventfd: 3}
ports:
- {port: tap0, counters: {kernel_rx_packets: 101000, kernel_tx_dropped: 12}}
- {port: veth0, counters: {kernel_tx_packets: 100800}}
books: {received: 101000, sent: 100800, dropped: 150, held: 50}
)");
}

}  // namespace wakegate

#endif  // GATEWAY_CTL_SNAPSHOTS_FOR_TEST_H_
