// meter LEDGER PROCESS THREAD: for each line on standard input prints what a worker's data plane
// has counted until now, as one line of JSON. It takes microseconds, so that looking disturbs what
// is measured less than calling the API would.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gateway/ledger/reader.h"
#include "tests/traffic/run_queue_delay.h"

namespace wakegate::bench {
namespace {

// {"received": {"tap0": 5}, …}: a port's queues together; of workers the sum; the system calls are
// those of all queues and workers.
struct Counts {
  std::string received;
  std::string sent;
  uint64_t iterations = 0;
  uint64_t busy_cycles = 0;
  uint64_t system_calls = 0;
};

void AddPort(std::string& object, const char* port, uint64_t packets) {
  absl::StrAppend(&object, object.empty() ? "" : ", ", "\"", port, "\": ", packets);
}

using SystemCalls = ledger::CounterArray<ledger::SystemCall, ledger::kSystemCallCount>;

uint64_t Sum(const SystemCalls& calls) {
  uint64_t sum = 0;
  for (const ledger::Counter& count : calls.cells) sum += count.Get();
  return sum;
}

Counts Count(const ledger::Snapshot& snapshot) {
  Counts counts;
  std::string port;
  uint64_t packets = 0;
  for (std::size_t i = 0; i < snapshot.slots.size(); ++i) {
    const ledger::SlotSnapshot& slot = snapshot.slots[i];
    const ledger::SlotIdentity& identity = slot.identity();
    const bool is_rx = identity.kind == ledger::SlotKind::kRxQueue;
    if (identity.kind == ledger::SlotKind::kWorker) {
      counts.iterations += slot.worker().counters[ledger::WorkerCounter::kIterations].Get();
      counts.busy_cycles += slot.worker().counters[ledger::WorkerCounter::kBusyCycles].Get();
      counts.system_calls += Sum(slot.worker().system_calls);
    }
    if (!is_rx && identity.kind != ledger::SlotKind::kTxQueue) continue;
    counts.system_calls += Sum(is_rx ? slot.rx().system_calls : slot.tx().system_calls);
    packets += is_rx ? slot.rx().counters[ledger::RxCounter::kPackets].Get()
                     : slot.tx().counters[ledger::TxCounter::kPackets].Get();
    // They are sorted by kind and port.
    const bool is_last = i + 1 == snapshot.slots.size() ||
                         snapshot.slots[i + 1].identity().kind != identity.kind ||
                         std::string(snapshot.slots[i + 1].identity().port) != identity.port;
    if (!is_last) continue;
    AddPort(is_rx ? counts.received : counts.sent, identity.port, packets);
    packets = 0;
  }
  return counts;
}

int Run(const std::string& ledger, pid_t process, pid_t thread) {
  const absl::StatusOr<std::unique_ptr<ledger::Reader>> reader = ledger::Reader::Open(ledger);
  const absl::StatusOr<testing::RunQueueDelay> delay = testing::RunQueueDelay::Of(process, thread);
  for (const absl::Status& status : {reader.status(), delay.status()}) {
    if (status.ok()) continue;
    std::fprintf(stderr, "meter: %s\n", status.ToString().c_str());
    return EXIT_FAILURE;
  }
  for (std::string line; std::getline(std::cin, line);) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const Counts counts = Count((*reader)->Take());
    std::printf(
        "{\"nanoseconds\": %lld, \"waited\": %lld, \"iterations\": %llu, \"busy_cycles\": %llu, "
        "\"system_calls\": %llu, \"tsc_hz\": %llu, \"received\": {%s}, \"sent\": {%s}}\n",
        static_cast<long long>(std::chrono::nanoseconds(now).count()),
        static_cast<long long>(delay->Read().count()),
        static_cast<unsigned long long>(counts.iterations),
        static_cast<unsigned long long>(counts.busy_cycles),
        static_cast<unsigned long long>(counts.system_calls),
        static_cast<unsigned long long>((*reader)->tsc_hz()), counts.received.c_str(),
        counts.sent.c_str());
    std::fflush(stdout);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace wakegate::bench

int main(int argc, char** argv) {
  int process = 0;
  int thread = 0;
  if (argc != 4 || !absl::SimpleAtoi(argv[2], &process) || !absl::SimpleAtoi(argv[3], &thread)) {
    std::fprintf(stderr, "usage: meter LEDGER PROCESS THREAD\n");
    return EXIT_FAILURE;
  }
  return wakegate::bench::Run(argv[1], process, thread);
}
