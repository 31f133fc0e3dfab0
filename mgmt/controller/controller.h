// What the gateway is meant to run, and the changes to it.
#ifndef MGMT_CONTROLLER_CONTROLLER_H_
#define MGMT_CONTROLLER_CONTROLLER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/backoff/backoff.h"
#include "gateway/state/state_file.h"
#include "mgmt/controller/dataplane_client.h"
#include "mgmt/controller/deadline.h"
#include "mgmt/controller/turnstile.h"
#include "mgmt/controller/view.h"
#include "wakegate/v1/gateway.pb.h"
#include "wakegate/v1/tuning.pb.h"

namespace wakegate {

struct ChangeOptions {
  // The generation that the caller has read; absent: any.
  std::optional<uint64_t> expected_generation = {};
  // Answers with the changes, and changes nothing.
  bool dry_run = false;
  Deadline deadline = Deadline::max();
};

struct ChangeResult {
  uint64_t generation = 0;
  std::vector<v1::Change> changes;
};

// Thread safe. Changes wait for each other; readers (view) wait for nobody.
class Controller {
 public:
  // A change takes no longer, whatever its caller's deadline.
  static constexpr std::chrono::seconds kLongestChange{30};

  // `dataplane` and `file` outlive it and are its own. `loaded` is what the file had.
  Controller(DataplaneClient& dataplane, StateFile& file, StateFile::Loaded loaded);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Makes `config` what is wanted, stored and run: all of it, or an error and the old
  // configuration runs. Errors: as wakegate.v1.GatewayService.
  absl::StatusOr<ChangeResult> Apply(const v1::GatewayConfig& config, const ChangeOptions& options);
  // The same with one knob of the wanted configuration changed.
  absl::StatusOr<ChangeResult> SetKnob(const v1::SetKnobRequest& request, Deadline deadline);

  // Asks the data plane what it runs and sees to it that it is what is wanted. Does nothing while
  // a change is under way, which does the same. An error: the data plane does not answer.
  absl::Status Reconcile();

  std::shared_ptr<const View> view() const;

  // As wakegate.v1.StatsService. Asks the data plane, and waits for no change.
  absl::StatusOr<internal::v1::GetDeviceStatsResponse> GetDeviceStats(const std::string& port,
                                                                      Deadline deadline) {
    return dataplane_.GetDeviceStats(port, deadline);
  }

 private:
  // Makes the new configuration of the current one.
  using Edit = std::function<absl::Status(v1::GatewayConfig&)>;

  absl::StatusOr<ChangeResult> Change(const Edit& edit, const ChangeOptions& options);
  absl::StatusOr<ChangeResult> ChangeInTurn(const Edit& edit, const ChangeOptions& options);
  absl::Status Store(const internal::v1::StoredState& target, Deadline deadline);
  // Whether the data plane runs it, after an Apply whose answer did not come.
  bool WasTaken(const internal::v1::StoredState& target);

  // All of these: by the holder of the turnstile's pass.
  absl::Status Settle();
  absl::Status Look(View& next);
  void Adopt(View& next);
  void ApplyDesired(View& next);
  void Publish(View next);

  DataplaneClient& dataplane_;
  StateFile& file_;

  Turnstile turnstile_;
  Backoff apply_backoff_;                           // Written by the holder of the pass.
  std::chrono::steady_clock::time_point apply_at_;  // Likewise: not to be tried again before.

  mutable std::mutex mutex_;
  std::shared_ptr<const View> view_;  // Guarded by mutex_; replaced by the holder of the pass.
};

}  // namespace wakegate

#endif  // MGMT_CONTROLLER_CONTROLLER_H_
