// A configuration that outlives the process: what mgmt wants, and what the data plane runs.
#ifndef GATEWAY_STATE_STATE_FILE_H_
#define GATEWAY_STATE_STATE_FILE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/files/atomic_file.h"
#include "wakegate/internal/v1/stored_state.pb.h"

namespace wakegate {

// One thread at a time.
class StateFile {
 public:
  static constexpr uint32_t kFormat = 1;

  struct Loaded {
    // Absent: there was none, or none that could be used.
    std::optional<internal::v1::StoredState> state;
    // What was wrong with it, and where it is now; empty: nothing.
    std::string problem;
  };

  explicit StateFile(const std::string& path) : file_(path) {}

  // A file that is torn, not valid, or of a newer format is put aside, never overwritten. An error
  // is one of the file system.
  absl::StatusOr<Loaded> Load();

  // The two steps of AtomicFile. `state` needs no format.
  absl::Status Prepare(const internal::v1::StoredState& state);
  absl::Status Commit();

 private:
  AtomicFile file_;
};

}  // namespace wakegate

#endif  // GATEWAY_STATE_STATE_FILE_H_
