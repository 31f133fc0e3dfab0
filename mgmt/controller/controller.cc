#include "mgmt/controller/controller.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/config/diff.h"
#include "gateway/config/validate.h"
#include "mgmt/controller/decision.h"
#include "mgmt/controller/knob_edit.h"
#include "mgmt/controller/view_log.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

// The data plane answers GetState from memory: later than this, it hangs.
constexpr std::chrono::seconds kLookTimeout{1};
// While it applies, it answers later.
constexpr std::chrono::seconds kOutcomeTimeout{10};
// What was refused is tried again: its device may have come meanwhile.
constexpr std::chrono::seconds kFirstApplyAgain{1};
constexpr std::chrono::seconds kLastApplyAgain{30};

View InitialView(StateFile::Loaded loaded) {
  View view;
  view.desired_known = loaded.state.has_value();
  if (loaded.state.has_value()) view.desired = *std::move(loaded.state);
  view.stored_config_text = std::move(loaded.problem);
  return view;
}

// Opens the ledger that the data plane names, unless it is the one that is open.
void FollowLedger(View& view, const std::string& previous_path) {
  const std::string& path = view.dataplane.ledger_path();
  if (view.ledger.ok() && path == previous_path) return;
  absl::StatusOr<std::unique_ptr<ledger::Reader>> reader = ledger::Reader::Open(path);
  if (reader.ok()) {
    view.ledger = std::shared_ptr<const ledger::Reader>(*std::move(reader));
  } else {
    view.ledger = reader.status();
  }
}

absl::Status CheckGeneration(const ChangeOptions& options, uint64_t current) {
  if (options.expected_generation.value_or(current) == current) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat("generation ", *options.expected_generation,
                                         " was expected, but ", current,
                                         " is current: somebody else changed the configuration; "
                                         "read it again and repeat your change"));
}

}  // namespace

Controller::Controller(DataplaneClient& dataplane, StateFile& file, StateFile::Loaded loaded)
    : dataplane_(dataplane),
      file_(file),
      apply_backoff_(kFirstApplyAgain, kLastApplyAgain),
      view_(std::make_shared<const View>(InitialView(std::move(loaded)))) {}

std::shared_ptr<const View> Controller::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

void Controller::Publish(View next) {
  const std::shared_ptr<const View> before = view();
  auto published = std::make_shared<const View>(std::move(next));
  LogTransition(*before, *published);
  const std::lock_guard lock(mutex_);
  view_ = std::move(published);
}

absl::StatusOr<ChangeResult> Controller::Apply(const v1::GatewayConfig& config,
                                               const ChangeOptions& options) {
  auto replace = [&](v1::GatewayConfig& current) {
    current = config;
    return absl::OkStatus();
  };
  return Change(replace, options);
}

absl::StatusOr<ChangeResult> Controller::SetKnob(const v1::SetKnobRequest& request,
                                                 Deadline deadline) {
  ChangeOptions options{.deadline = deadline};
  if (request.has_expected_generation()) {
    options.expected_generation = request.expected_generation();
  }
  return Change(
      [&](v1::GatewayConfig& current) { return SetKnobIn(current, request, view()->workers()); },
      options);
}

absl::StatusOr<ChangeResult> Controller::Change(const Edit& edit, const ChangeOptions& options) {
  ChangeOptions bounded = options;
  bounded.deadline = std::min(options.deadline, Within(kLongestChange));
  const absl::StatusOr<Turnstile::Pass> pass = turnstile_.Enter(bounded.deadline);
  if (!pass.ok()) return pass.status();
  return ChangeInTurn(edit, bounded);
}

absl::StatusOr<ChangeResult> Controller::ChangeInTurn(const Edit& edit,
                                                      const ChangeOptions& options) {
  // What is wanted is sure only once the data plane has said what it runs.
  if (!view()->contacted) {
    if (absl::Status status = Settle(); !status.ok()) return status;
  }
  const std::shared_ptr<const View> current = view();
  const uint64_t generation = current->desired.generation();
  internal::v1::StoredState target = current->desired;
  if (absl::Status status = CheckGeneration(options, generation); !status.ok()) return status;
  if (absl::Status status = edit(*target.mutable_config()); !status.ok()) return status;
  if (absl::Status status = Validate(target.config()); !status.ok()) return status;
  if (current->workers() > 0) {
    const absl::Status status = ValidateWorkers(target.config(), current->workers());
    if (!status.ok()) return status;
  }

  std::vector<v1::Change> changes = Diff(current->desired.config(), target.config());
  if (options.dry_run || (changes.empty() && current->in_sync())) {
    return ChangeResult{generation, std::move(changes)};
  }
  target.set_generation(changes.empty() ? generation : generation + 1);
  const absl::Status stored = Store(target, options.deadline);
  // Brings the view up to date, and after a failure of unknown outcome the old configuration back.
  // Where the data plane does not answer, the view says so and Reconcile goes on with it.
  apply_at_ = {};
  (void)Settle();
  if (!stored.ok()) return stored;
  return ChangeResult{target.generation(), std::move(changes)};
}

// On disk as far as it may fail, then in the data plane, then on disk for good.
absl::Status Controller::Store(const internal::v1::StoredState& target, Deadline deadline) {
  absl::Status status = file_.Prepare(target);
  if (status.ok()) status = dataplane_.Apply(target.config(), target.generation(), deadline);
  // To undo what it did after all would cost more than to be glad of it.
  if (absl::IsDeadlineExceeded(status) && WasTaken(target)) {
    spdlog::warn("the data plane took generation {} after the time for it was over",
                 target.generation());
    status = absl::OkStatus();
  }
  if (!status.ok()) return status;
  if (status = file_.Commit(); !status.ok()) return status;
  View next = *view();
  next.desired = target;
  Publish(std::move(next));
  return absl::OkStatus();
}

bool Controller::WasTaken(const internal::v1::StoredState& target) {
  const auto state = dataplane_.GetState(Within(kOutcomeTimeout));
  return state.ok() && state->generation() == target.generation() &&
         Diff(state->config(), target.config()).empty();
}

absl::Status Controller::Reconcile() {
  const Turnstile::Pass pass = turnstile_.TryEnter();
  return pass == nullptr ? absl::OkStatus() : Settle();
}

absl::Status Controller::Settle() {
  View next = *view();
  absl::Status answered = Look(next);
  if (answered.ok()) {
    switch (Decide(next)) {
      case Decision::kInSync:
        next.sync = absl::OkStatus();
        apply_backoff_.Reset();
        apply_at_ = {};
        break;
      case Decision::kAdopt:
        Adopt(next);
        break;
      case Decision::kApply:
        ApplyDesired(next);
        break;
    }
    next.contacted = true;
    answered = next.connection;
  }
  Publish(std::move(next));
  return answered;
}

absl::Status Controller::Look(View& next) {
  absl::StatusOr<internal::v1::GetStateResponse> state = dataplane_.GetState(Within(kLookTimeout));
  next.connection = state.status();
  if (!state.ok()) {
    next.ledger = state.status();
    return state.status();
  }
  const bool restarted = state->status().boot_id() != next.dataplane.status().boot_id();
  if (restarted) apply_at_ = {};
  const std::string previous_path = next.dataplane.ledger_path();
  next.dataplane = *std::move(state);
  FollowLedger(next, previous_path);
  return absl::OkStatus();
}

void Controller::Adopt(View& next) {
  next.desired.set_generation(next.dataplane.generation());
  *next.desired.mutable_config() = next.dataplane.config();
  next.desired_known = true;
  next.sync = absl::OkStatus();
  spdlog::info("adopted generation {} from the data plane", next.desired.generation());
  absl::Status stored = file_.Prepare(next.desired);
  if (stored.ok()) stored = file_.Commit();
  if (!stored.ok()) spdlog::error("store the adopted configuration: {}", stored.ToString());
}

void Controller::ApplyDesired(View& next) {
  const auto now = std::chrono::steady_clock::now();
  if (now < apply_at_) return;  // `sync` still says why.
  apply_at_ = now + apply_backoff_.Next();
  spdlog::info("the data plane runs generation {}; it is given generation {}",
               next.dataplane.generation(), next.desired.generation());
  next.sync =
      dataplane_.Apply(next.desired.config(), next.desired.generation(), Within(kLongestChange));
  // Looks again for its new ports, and whether it does what it said. Where it has gone meanwhile,
  // `connection` says so.
  if (next.sync.ok() && Look(next).ok() && Decide(next) != Decision::kInSync) {
    next.sync = absl::InternalError("the data plane took the configuration but runs another");
  }
}

}  // namespace wakegate
