#include "dataplane/netdev/namespace_mounts.h"

#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace wakegate {

std::vector<NamespaceMount> NetworkNamespaceMounts() {
  std::vector<NamespaceMount> mounts;
  std::ifstream file("/proc/thread-self/mountinfo");
  std::string line;
  while (std::getline(file, line)) {
    // "512 25 0:4 net:[4026532281] /run/netns/blue rw shared:7 - nsfs nsfs rw" (man 5 proc).
    const std::vector<absl::string_view> fields =
        absl::StrSplit(absl::string_view(line.data(), line.size()), ' ');
    if (fields.size() < 5) continue;
    absl::string_view root = fields[3];
    NamespaceMount mount;
    if (!absl::ConsumePrefix(&root, "net:[") || !absl::ConsumeSuffix(&root, "]") ||
        !absl::SimpleAtoi(root, &mount.inode)) {
      continue;
    }
    mount.path = std::string(fields[4]);
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

}  // namespace wakegate
