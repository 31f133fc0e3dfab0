#include "dataplane/control/worker_pool.h"

#include <rte_malloc.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"

namespace wakegate {

void WorkerPool::FreeRcu::operator()(rte_rcu_qsbr* rcu) const { rte_free(rcu); }

absl::StatusOr<std::unique_ptr<WorkerPool>> WorkerPool::Start(const std::vector<int>& cpus,
                                                              const IdleSettings& idle,
                                                              rte_mempool* pool,
                                                              ledger::Writer& ledger) {
  std::unique_ptr<WorkerPool> workers(new WorkerPool);
  const auto count = static_cast<uint32_t>(cpus.size());
  workers->rcu_.reset(static_cast<rte_rcu_qsbr*>(
      rte_zmalloc("worker_rcu", rte_rcu_qsbr_get_memsize(count), RTE_CACHE_LINE_SIZE)));
  if (workers->rcu_ == nullptr || rte_rcu_qsbr_init(workers->rcu_.get(), count) != 0) {
    return absl::ResourceExhaustedError("no memory for the workers' RCU state; raise --memory");
  }
  for (uint32_t index = 0; index < count; ++index) {
    absl::StatusOr<ledger::WorkerSlot> slot = ledger.AddWorker(index);
    if (!slot.ok()) return slot.status();
    absl::StatusOr<std::unique_ptr<Worker>> worker = Worker::Start({.index = index,
                                                                    .cpu = cpus[index],
                                                                    .idle = idle,
                                                                    .pool = pool,
                                                                    .rcu = workers->rcu_.get(),
                                                                    .ledger = &slot->block()});
    if (!worker.ok()) return worker.status();
    workers->slots_.push_back(*std::move(slot));
    workers->workers_.push_back(*std::move(worker));
    workers->taken_bits_.emplace_back(Worker::kReadyBits, false);
  }
  return workers;
}

absl::StatusOr<Place> WorkerPool::TakePlace() {
  const auto load = [](const std::vector<bool>& bits) {
    return std::count(bits.begin(), bits.end(), true);
  };
  const auto least =
      std::min_element(taken_bits_.begin(), taken_bits_.end(),
                       [&](const auto& a, const auto& b) { return load(a) < load(b); });
  const auto bit = std::find(least->begin(), least->end(), false);
  if (bit == least->end()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("each of the ", size(), " workers has ", Worker::kReadyBits,
                     " queue pairs, which is all it can have; configure fewer or add --cores"));
  }
  *bit = true;
  return Place{.worker = static_cast<uint32_t>(least - taken_bits_.begin()),
               .ready_bit = static_cast<uint32_t>(bit - least->begin())};
}

void WorkerPool::ReturnPlace(const Place& place) {
  taken_bits_[place.worker][place.ready_bit] = false;
}

void WorkerPool::Publish(std::vector<std::unique_ptr<Plan>> plans) {
  std::vector<std::unique_ptr<const Plan>> before;
  for (uint32_t index = 0; index < size(); ++index) {
    before.push_back(workers_[index]->Publish(std::move(plans[index])));
  }
  WaitUntilTakenUp();
}

void WorkerPool::WaitUntilTakenUp() {
  using std::chrono::steady_clock;
  // In this order: see Worker::Publish.
  const uint64_t token = rte_rcu_qsbr_start(rcu_.get());
  for (const std::unique_ptr<Worker>& worker : workers_) worker->bell().Ring();
  auto next_warning = steady_clock::now() + std::chrono::seconds(1);
  while (rte_rcu_qsbr_check(rcu_.get(), token, /*wait=*/false) != 1) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (steady_clock::now() < next_warning) continue;
    spdlog::warn("still waiting for a worker to take up its plan: is a core taken away?");
    next_warning = steady_clock::now() + std::chrono::seconds(10);
  }
}

}  // namespace wakegate
