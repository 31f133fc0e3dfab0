// A file that is replaced whole or not at all, also when the process or the machine dies meanwhile.
#ifndef GATEWAY_FILES_ATOMIC_FILE_H_
#define GATEWAY_FILES_ATOMIC_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace wakegate {

// One thread at a time, and one writing process. Errors name the call, the file and the answer.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);

  // NOT_FOUND where there is none.
  absl::StatusOr<std::string> Read() const;

  // Write in two steps, for a change that another party has to agree to in between. Prepare does
  // all that may well fail (space, permissions): it writes and syncs a file beside. Commit gives
  // that file its name. A Prepare without a Commit has no effect.
  absl::Status Prepare(std::string_view content) const;
  absl::Status Commit() const;
  // Both steps.
  absl::Status Write(std::string_view content) const;

  // Renames a file that cannot be used, for a person to look at; returns its new path,
  // "<path>.bad-20260131T235959.123Z".
  absl::StatusOr<std::string> PutAside() const;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string unfinished_path_;
};

}  // namespace wakegate

#endif  // GATEWAY_FILES_ATOMIC_FILE_H_
