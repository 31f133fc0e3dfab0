// All workers: where queues are placed, and how plans reach them.
#ifndef DATAPLANE_CONTROL_WORKER_POOL_H_
#define DATAPLANE_CONTROL_WORKER_POOL_H_

#include <rte_mempool.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/control/cpu_contention.h"
#include "dataplane/control/placement.h"
#include "dataplane/worker/worker.h"
#include "gateway/ledger/writer.h"

namespace wakegate {

// A queue pair's place, held for as long as the queue pair exists.
struct Place {
  uint32_t worker = 0;
  uint32_t ready_bit = 0;
};

// Control thread.
class WorkerPool {
 public:
  // Starts a worker on each CPU, with an empty plan.
  static absl::StatusOr<std::unique_ptr<WorkerPool>> Start(const std::vector<int>& cpus,
                                                           rte_mempool* pool,
                                                           ledger::Writer& ledger);
  // Stops them.
  ~WorkerPool() = default;

  uint32_t size() const { return static_cast<uint32_t>(workers_.size()); }
  Worker& worker(uint32_t index) const { return *workers_[index]; }

  // As ChooseWorker says. RESOURCE_EXHAUSTED where that one has, or all have, all that a worker
  // can.
  absl::StatusOr<Place> TakePlace(const PlaceWish& wish);
  void ReturnPlace(const Place& place);

  // Finds out which workers share their CPU, and tells them. Whether one began or ceased to. To be
  // called each second.
  bool LookForContention();

  // Gives each worker its plan (as many as workers) and waits until all have taken it up: whatever
  // only earlier plans name is then free to go. A worker whose core is taken away holds this up for
  // that long; that is logged.
  void Publish(std::vector<std::unique_ptr<Plan>> plans);

 private:
  WorkerPool() = default;
  void WaitUntilTakenUp();

  // In the order in which they must outlive each other.
  std::vector<ledger::WorkerSlot> slots_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::vector<bool>> taken_bits_;  // [worker][bit].
  std::vector<CpuContention> contention_;      // By worker.
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_WORKER_POOL_H_
