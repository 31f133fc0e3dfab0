#include "dataplane/netdev/visible_namespaces.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/netdev/namespace_mounts.h"

namespace wakegate {
namespace {

namespace fs = std::filesystem;

class Finder {
 public:
  Finder() {
    struct stat own;
    if (stat("/proc/thread-self/ns/user", &own) == 0) own_user_namespace_ = own.st_ino;
  }

  void Add(const std::string& path) {
    FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) {
      // Processes end meanwhile, and a mount may be hidden behind another.
      found_.incomplete |= errno == EACCES || errno == EPERM;
      return;
    }
    absl::StatusOr<NetworkNamespace> network = NetworkNamespace::Of(std::move(file));
    if (!network.ok() || !seen_.insert(network->inode()).second || !IsOurs(*network)) return;
    found_.namespaces.push_back(*std::move(network));
  }

  VisibleNamespaces Take() { return std::move(found_); }

 private:
  bool IsOurs(const NetworkNamespace& network) const {
    const FileDescriptor owner(ioctl(network.fd(), NS_GET_USERNS));
    struct stat status;
    return owner.valid() && fstat(owner.get(), &status) == 0 &&
           status.st_ino == own_user_namespace_;
  }

  ino_t own_user_namespace_ = 0;
  std::set<ino_t> seen_;
  VisibleNamespaces found_;
};

}  // namespace

VisibleNamespaces FindVisibleNamespaces() {
  Finder finder;
  for (const NamespaceMount& mount : NetworkNamespaceMounts()) finder.Add(mount.path);
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    int pid;
    if (!absl::SimpleAtoi(it->path().filename().string(), &pid)) continue;
    finder.Add(absl::StrCat("/proc/", pid, "/ns/net"));
  }
  return finder.Take();
}

}  // namespace wakegate
