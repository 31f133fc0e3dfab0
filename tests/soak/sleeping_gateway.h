// A gateway whose worker sleeps between the packets of its taps.
#ifndef TESTS_SOAK_SLEEPING_GATEWAY_H_
#define TESTS_SOAK_SLEEPING_GATEWAY_H_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/testing/gateway_for_test.h"
#include "tests/traffic/packet_path.h"
#include "tests/traffic/run_queue_delay.h"

namespace wakegate::testing {

// One packet's way, as the gateway answers for it.
struct Passage {
  // Without the time in which the machine ran neither the worker nor who watches.
  std::chrono::nanoseconds took;
  std::chrono::nanoseconds kept_from_running;
  // The worker's wakes meanwhile: "packet", "timer packet"; "awake" where it did not sleep.
  std::string cause;
};

// Two pairs of taps; each pair is a cross-connect. The worker has the process's last CPU and the
// thread that makes it, and calls it, has the first as long as it lives. In the caller's network
// namespace, which is a test's own.
class SleepingGateway {
 public:
  explicit SleepingGateway(IdleMode mode);
  ~SleepingGateway();
  SleepingGateway(const SleepingGateway&) = delete;
  SleepingGateway& operator=(const SleepingGateway&) = delete;

  std::size_t paths() const { return paths_.size(); }
  // Sends a packet on a path, `path` from 0, and waits until it has passed. Nothing: it did not
  // within 5 seconds.
  std::optional<Passage> Pass(std::size_t path);
  // How often the worker has slept.
  uint64_t sleeps() const { return gateway_.Count(ledger::WorkerCounter::kSleeps); }

 private:
  using Wakes = std::vector<uint64_t>;
  Wakes CountWakes() const;

  const std::vector<int> cpus_before_;  // Of the thread.
  GatewayForTest gateway_;
  std::vector<PacketPath> paths_;
  std::optional<RunQueueDelay> worker_delay_;
  std::optional<RunQueueDelay> own_delay_;
};

}  // namespace wakegate::testing

#endif  // TESTS_SOAK_SLEEPING_GATEWAY_H_
