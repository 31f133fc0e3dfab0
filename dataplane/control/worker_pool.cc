#include "dataplane/control/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"

namespace wakegate {

absl::StatusOr<std::unique_ptr<WorkerPool>> WorkerPool::Start(const std::vector<int>& cpus,
                                                              rte_mempool* pool,
                                                              ledger::Writer& ledger) {
  std::unique_ptr<WorkerPool> workers(new WorkerPool);
  const auto count = static_cast<uint32_t>(cpus.size());
  for (uint32_t index = 0; index < count; ++index) {
    absl::StatusOr<ledger::WorkerSlot> slot = ledger.AddWorker(index);
    if (!slot.ok()) return slot.status();
    absl::StatusOr<std::unique_ptr<Worker>> worker =
        Worker::Start({.index = index, .cpu = cpus[index], .pool = pool, .ledger = &slot->block()});
    if (!worker.ok()) return worker.status();
    workers->slots_.push_back(*std::move(slot));
    workers->workers_.push_back(*std::move(worker));
    workers->taken_bits_.emplace_back(Worker::kReadyBits, false);
    workers->contention_.emplace_back();
  }
  // Workers are alike: what the kernel denies to one it denies to all.
  if (const absl::Status& status = workers->worker(0).ring_status(); !status.ok()) {
    spdlog::warn("no io_uring: {}; idle taps are watched with epoll instead",
                 std::string(status.message()));
  }
  return workers;
}

absl::StatusOr<Place> WorkerPool::TakePlace(const PlaceWish& wish) {
  std::vector<uint32_t> queue_pairs;
  for (const std::vector<bool>& bits : taken_bits_) {
    queue_pairs.push_back(static_cast<uint32_t>(std::ranges::count(bits, true)));
  }
  const uint32_t worker = ChooseWorker(wish, queue_pairs);
  std::vector<bool>& bits = taken_bits_[worker];
  const auto bit = std::ranges::find(bits, false);
  if (bit == bits.end()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("worker ", worker, wish.worker ? "" : ", like each of the others,", " has ",
                     Worker::kReadyBits,
                     " queue pairs, which is all it can have; configure fewer or add --cores"));
  }
  *bit = true;
  return Place{.worker = worker, .ready_bit = static_cast<uint32_t>(bit - bits.begin())};
}

void WorkerPool::ReturnPlace(const Place& place) {
  taken_bits_[place.worker][place.ready_bit] = false;
}

bool WorkerPool::LookForContention() {
  bool changed = false;
  const auto now = std::chrono::steady_clock::now();
  for (uint32_t index = 0; index < size(); ++index) {
    const auto delay = RunQueueDelay(worker(index).thread_id());
    if (!delay) continue;
    const bool shared = contention_[index].Update(*delay, now);
    if (shared == worker(index).cpu_is_shared()) continue;
    spdlog::info("worker {} {} CPU {}", index,
                 shared ? "rests rather than spins: others want" : "has again for itself",
                 worker(index).cpu());
    worker(index).SetCpuIsShared(shared);
    changed = true;
  }
  return changed;
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
  auto next_warning = steady_clock::now() + std::chrono::seconds(1);
  const auto has_adopted = [](const auto& worker) { return worker->HasAdopted(); };
  while (!std::ranges::all_of(workers_, has_adopted)) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (steady_clock::now() < next_warning) continue;
    spdlog::warn("still waiting for a worker to take up its plan: is a core taken away?");
    next_warning = steady_clock::now() + std::chrono::seconds(10);
  }
}

}  // namespace wakegate
