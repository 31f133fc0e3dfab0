#include "dataplane/control/boot_id.h"

#include <cerrno>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace wakegate {

absl::StatusOr<std::string> MakeBootId() {
  constexpr char kPath[] = "/proc/sys/kernel/random/uuid";
  std::ifstream file(kPath);
  std::string uuid;
  if (file >> uuid) return uuid;
  return absl::ErrnoToStatus(errno, absl::StrCat("read ", kPath));
}

}  // namespace wakegate
