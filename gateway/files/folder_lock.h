// One process of a kind for a folder.
#ifndef GATEWAY_FILES_FOLDER_LOCK_H_
#define GATEWAY_FILES_FOLDER_LOCK_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace wakegate {

// Whose lock it is, for its file's name and for the error.
struct FolderUse {
  std::string file;     // "mgmt.lock", in the folder.
  std::string program;  // "wakegate-mgmt"
  std::string flag;     // "--state-dir"
};

// Held for as long as it lives; the kernel frees it when the process ends in any way.
class FolderLock {
 public:
  // Makes the folder if it is not there, and takes its lock. ALREADY_EXISTS, with the process that
  // has it, where another still has it after half a second: one that was killed takes a moment to
  // be gone.
  static absl::StatusOr<FolderLock> Take(const std::string& folder, const FolderUse& use);

  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace wakegate

#endif  // GATEWAY_FILES_FOLDER_LOCK_H_
