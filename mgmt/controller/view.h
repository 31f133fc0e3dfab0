// All that mgmt knows at one moment. What readers see is immutable: it is replaced, not changed.
#ifndef MGMT_CONTROLLER_VIEW_H_
#define MGMT_CONTROLLER_VIEW_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/ledger/reader.h"
#include "wakegate/internal/v1/dataplane.pb.h"
#include "wakegate/internal/v1/stored_state.pb.h"

namespace wakegate {

struct View {
  // What the data plane is meant to run.
  internal::v1::StoredState desired;
  // Whether `desired` was stored or adopted; before that it is empty.
  bool desired_known = false;
  // What was wrong with the stored configuration; empty: nothing.
  std::string stored_config_text;

  // Whether the data plane was asked with success at least once in this process's life.
  bool contacted = false;
  // Whether the data plane answers, or why not.
  absl::Status connection = absl::UnavailableError("the data plane has not been asked yet");
  // Whether it runs `desired`, or why not. Means nothing where `connection` is not OK.
  absl::Status sync = absl::UnknownError("not compared yet");
  // Its last answer.
  internal::v1::GetStateResponse dataplane;
  // Its counters. UNAVAILABLE while it does not answer.
  absl::StatusOr<std::shared_ptr<const ledger::Reader>> ledger =
      absl::UnavailableError("the data plane has not been asked yet");

  bool in_sync() const { return connection.ok() && sync.ok(); }
  // How many workers the data plane had when it was last asked; 0: not known.
  uint32_t workers() const { return static_cast<uint32_t>(dataplane.status().workers_size()); }
};

// Thread safe, does not block.
using ViewSource = std::function<std::shared_ptr<const View>()>;

}  // namespace wakegate

#endif  // MGMT_CONTROLLER_VIEW_H_
