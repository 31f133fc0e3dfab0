// A thread on a core of its own that moves packets by the plan it was given.
#ifndef DATAPLANE_WORKER_WORKER_H_
#define DATAPLANE_WORKER_WORKER_H_

#include <rte_mempool.h>
#include <rte_rcu_qsbr.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/wakeup/doorbell.h"
#include "dataplane/wakeup/idle_policy.h"
#include "dataplane/wakeup/ready_bitmap.h"
#include "dataplane/worker/plan.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// Polls. A worker without queues has nothing to poll for and sleeps, 100 ms at a time.
IdleSettings DefaultIdleSettings();

struct WorkerOptions {
  uint32_t index = 0;
  int cpu = 0;
  IdleSettings idle = DefaultIdleSettings();
  rte_mempool* pool = nullptr;  // For packets that forwarding makes.
  rte_rcu_qsbr* rcu = nullptr;  // The worker is its reader number `index`.
  ledger::WorkerBlock* ledger = nullptr;
};

// All functions: control.
class Worker {
 public:
  // How many transmit queues a worker can own.
  static constexpr uint32_t kReadyBits = 1024;

  // Starts the thread, pinned, with an empty plan. What the options point to outlives the worker.
  // The calling thread's signal mask is the worker's: block what it shall not get.
  static absl::StatusOr<std::unique_ptr<Worker>> Start(const WorkerOptions& options);
  // Ends the thread after the turn it is in. What its senders hold stays there.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Gives the worker its next plan. Returns the plan before, which is in use until the worker has
  // reported a quiescent state to `rcu`: ask for that (rte_rcu_qsbr_start), then ring bell(), for
  // a worker that sleeps, then wait.
  std::unique_ptr<const Plan> Publish(std::unique_ptr<Plan> plan);

  uint32_t index() const { return options_.index; }
  int cpu() const { return options_.cpu; }
  // For hand-over rings towards this worker.
  ReadyBitmap& ready() { return ready_; }
  Doorbell& bell() { return *bell_; }

 private:
  Worker(const WorkerOptions& options, std::unique_ptr<Doorbell> bell);

  const WorkerOptions options_;
  std::unique_ptr<Doorbell> bell_;
  ReadyBitmap ready_{kReadyBits};
  std::unique_ptr<const Plan> plan_;    // Control's.
  std::atomic<const Plan*> next_plan_;  // Written by control, read by the worker.
  std::atomic<bool> stop_ = false;      // Likewise.
  std::thread thread_;
};

}  // namespace wakegate

#endif  // DATAPLANE_WORKER_WORKER_H_
