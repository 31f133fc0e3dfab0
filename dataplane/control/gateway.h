// The data plane's configuration: applied, kept across a crash, and told.
#ifndef DATAPLANE_CONTROL_GATEWAY_H_
#define DATAPLANE_CONTROL_GATEWAY_H_

#include <rte_mempool.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/control/balancer.h"
#include "dataplane/control/cpu_latency.h"
#include "dataplane/control/port_set.h"
#include "dataplane/control/reopen_schedule.h"
#include "gateway/state/state_file.h"
#include "wakegate/internal/v1/dataplane.pb.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// Thread safe: one caller at a time is the control thread of all below it.
class Gateway {
 public:
  // `status`: what does not change while the process runs. What `surroundings` refers to outlives
  // the gateway. `state_path`: where the configuration is kept.
  Gateway(const PortSurroundings& surroundings, const v1::DataplaneStatus& status,
          const std::string& state_path);

  // Runs what was applied last before the process ended, as far as its devices are there. What
  // is not is tried again by Tick. A file that cannot be used is put aside. Once, first.
  void Restore();

  // Makes the running configuration equal to `config`: all or nothing. On success it is also what
  // Restore finds. INVALID_ARGUMENT, RESOURCE_EXHAUSTED, or what a device answered.
  // `given_up` says whether the caller no longer waits for the answer: then, as long as nothing is
  // changed that traffic would notice, DEADLINE_EXCEEDED.
  absl::Status Apply(
      const v1::GatewayConfig& config, uint64_t generation,
      absl::FunctionRef<bool()> given_up = [] { return false; });

  // What runs. `ledger_path` is not filled in.
  internal::v1::GetStateResponse State();

  // What the driver of a port's device counts, by its names. NOT_FOUND: no such port; UNAVAILABLE:
  // it is closed; UNIMPLEMENTED: its kind has no such counters.
  absl::StatusOr<std::map<std::string, uint64_t>> DeviceStats(const std::string& port);

  // Looks after the devices: closes those that failed, opens those that are back, reads counters;
  // and after the workers: who shares a CPU, who has too much to do.
  // Called each second, and at once when devices have changed. True: a port was tried in vain,
  // which may have changed devices for a moment.
  bool Tick(bool devices_changed);

 private:
  absl::Status ApplyLocked(const v1::GatewayConfig& config, uint64_t generation,
                           absl::FunctionRef<bool()> given_up);
  void CloseFailed(const std::map<std::string, absl::Status>& failed);
  void PublishOrComplain();
  void Balance();
  void DescribeWorkers(v1::DataplaneStatus& status) const;
  void DescribeTriggers(PortRecord& record, v1::PortStatus& status) const;

  std::mutex mutex_;  // Guards all below.
  PortSet ports_;
  WorkerPool& workers_;
  Balancer balancer_;
  CpuLatency cpu_latency_;
  ReopenSchedule reopen_;
  StateFile state_file_;
  v1::GatewayConfig config_;   // As it was given.
  v1::GatewayConfig running_;  // With its defaults.
  uint64_t generation_ = 0;
  const v1::DataplaneStatus status_;  // What does not change.
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_GATEWAY_H_
