#include "dataplane/worker/worker.h"

#include <pthread.h>
#include <rte_cycles.h>
#include <rte_lcore.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/worker/loop.h"

namespace wakegate {
namespace {

// Makes the calling thread a worker's: its name, its core, its DPDK caches.
absl::Status PrepareThread(uint32_t index, int cpu) {
  pthread_setname_np(pthread_self(), absl::StrCat("worker-", index).c_str());
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  if (const int error = pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus); error != 0) {
    return absl::ErrnoToStatus(error,
                               absl::StrCat("pin worker ", index, " to CPU ", cpu,
                                            " (name CPUs of this process's cpuset with --cores)"));
  }
  if (rte_thread_register() != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("DPDK has no room for worker ", index,
                                                     " among its ", RTE_MAX_LCORE,
                                                     " threads; name fewer CPUs with --cores"));
  }
  // The default slack of 50 µs would double a short sleep.
  prctl(PR_SET_TIMERSLACK, 1UL);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Worker>> Worker::Start(const WorkerOptions& options) {
  absl::StatusOr<std::unique_ptr<Doorbell>> bell = Doorbell::Create();
  if (!bell.ok()) return bell.status();
  std::unique_ptr<Worker> worker(new Worker(options, *std::move(bell)));
  std::promise<absl::Status> prepared;
  worker->thread_ = std::thread([&prepared, self = worker.get()] {
    const absl::Status status = PrepareThread(self->options_.index, self->options_.cpu);
    Loop loop({.next_plan = self->next_plan_,
               .stop = self->stop_,
               .cpu_is_shared = self->cpu_is_shared_,
               .adopted_serial = self->adopted_serial_,
               .ready = self->ready_,
               .bell = *self->bell_},
              self->options_.pool, *self->options_.ledger);
    self->thread_id_ = gettid();
    self->ring_status_ = loop.ring_status();
    self->call_costs_ = loop.call_costs();
    prepared.set_value(status);
    if (!status.ok()) return;
    loop.Run();
    rte_thread_unregister();
  });
  const absl::Status status = prepared.get_future().get();
  if (!status.ok()) return status;
  return worker;
}

Worker::Worker(const WorkerOptions& options, std::unique_ptr<Doorbell> bell)
    : options_(options), bell_(std::move(bell)) {
  auto empty = std::make_unique<Plan>();
  empty->serial = 1;
  empty->idle.longest_sleep = rte_get_tsc_hz() / 10;
  next_plan_ = empty.get();
  plan_ = std::move(empty);
}

Worker::~Worker() {
  stop_ = true;
  bell_->Ring();
  if (thread_.joinable()) thread_.join();
}

std::unique_ptr<const Plan> Worker::Publish(std::unique_ptr<Plan> plan) {
  plan->serial = plan_->serial + 1;
  next_plan_.store(plan.get(), std::memory_order_release);
  bell_->Ring();
  return std::exchange(plan_, std::move(plan));
}

}  // namespace wakegate
