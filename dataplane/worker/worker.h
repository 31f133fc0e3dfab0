// A thread on a core of its own that moves packets by the plan it was given.
#ifndef DATAPLANE_WORKER_WORKER_H_
#define DATAPLANE_WORKER_WORKER_H_

#include <rte_mempool.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/kernel/call_ring.h"
#include "dataplane/wakeup/doorbell.h"
#include "dataplane/wakeup/ready_bitmap.h"
#include "dataplane/worker/plan.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

struct WorkerOptions {
  uint32_t index = 0;
  int cpu = 0;
  rte_mempool* pool = nullptr;  // For packets that forwarding makes.
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

  // Gives the worker its next plan, and rings it. Returns the plan before, which is in use, with
  // the files that its queues wait on, until the worker has adopted the next.
  std::unique_ptr<const Plan> Publish(std::unique_ptr<Plan> plan);
  bool HasAdopted() const {
    return adopted_serial_.load(std::memory_order_acquire) == plan_->serial;
  }

  // Whether others want the worker's CPU: it then rests rather than spins.
  void SetCpuIsShared(bool shared) { cpu_is_shared_.store(shared, std::memory_order_relaxed); }
  bool cpu_is_shared() const { return cpu_is_shared_.load(std::memory_order_relaxed); }
  // Its thread, as in /proc/self/task.
  pid_t thread_id() const { return thread_id_; }
  // Why it has no io_uring; OK: it has one.
  const absl::Status& ring_status() const { return ring_status_; }
  // As the worker measured when it started; an error: it cannot batch calls.
  const absl::StatusOr<CallCosts>& call_costs() const { return call_costs_; }

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
  std::unique_ptr<const Plan> plan_;          // Control's.
  std::atomic<const Plan*> next_plan_;        // Written by control, read by the worker.
  std::atomic<bool> stop_ = false;            // Likewise.
  std::atomic<bool> cpu_is_shared_ = false;   // Likewise.
  std::atomic<uint64_t> adopted_serial_ = 0;  // Written by the worker.
  pid_t thread_id_ = 0;                       // This and the next two: by Start.
  absl::Status ring_status_;
  absl::StatusOr<CallCosts> call_costs_;
  std::thread thread_;
};

}  // namespace wakegate

#endif  // DATAPLANE_WORKER_WORKER_H_
