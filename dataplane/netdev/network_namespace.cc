#include "dataplane/netdev/network_namespace.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/netdev/namespace_mounts.h"

namespace wakegate {
namespace {

constexpr char kNamedNamespaces[] = "/run/netns/";
constexpr char kOwnNamespace[] = "/proc/thread-self/ns/net";

absl::Status Enter(int fd) {
  if (setns(fd, CLONE_NEWNET) == 0) return absl::OkStatus();
  return KernelError(errno, "enter a network namespace",
                     errno == EPERM ? "needs CAP_SYS_ADMIN" : "");
}

}  // namespace

absl::StatusOr<NetworkNamespace> NetworkNamespace::Of(FileDescriptor file) {
  struct stat status;
  if (fstat(file.get(), &status) != 0) return KernelError(errno, "fstat a network namespace");
  return NetworkNamespace(std::move(file), status.st_ino);
}

absl::StatusOr<NetworkNamespace> NetworkNamespace::Current() {
  FileDescriptor file(open(kOwnNamespace, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return KernelError(errno, absl::StrCat("open ", kOwnNamespace));
  return Of(std::move(file));
}

absl::StatusOr<NetworkNamespace> NetworkNamespace::OpenOr(const std::string& place,
                                                          const NetworkNamespace& own) {
  if (!place.empty()) return Open(absl::string_view(place.data(), place.size()));
  NetworkNamespace other = own.Duplicate();
  if (!other.valid()) return KernelError(errno, "open the own network namespace");
  return other;
}

absl::Status NetworkNamespace::CheckStillAt(const std::string& place) const {
  if (place.empty()) return absl::OkStatus();
  const absl::StatusOr<NetworkNamespace> now = OpenOr(place, *this);
  if (!now.ok() || *now == *this) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("network namespace ", place, " was deleted and made again"));
}

absl::Status NetworkNamespace::RunFor(const NetworkNamespace& own,
                                      absl::FunctionRef<absl::Status()> work) const {
  const absl::Status status = Run(work);
  if (status.ok() || *this == own) return status;
  return absl::Status(status.code(),
                      absl::StrCat("in network namespace ", Name(), ": ", status.message()));
}

absl::StatusOr<NetworkNamespace> NetworkNamespace::Open(absl::string_view place) {
  const bool is_path = absl::StartsWith(place, "/");
  const std::string path = absl::StrCat(is_path ? "" : kNamedNamespaces, place);
  const std::string tried = absl::StrCat("open network namespace ", path);
  // Without O_NONBLOCK a path to a FIFO would be waited for.
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) {
    const int error = errno;
    const bool missing = error == ENOENT;
    return KernelError(error, tried,
                       !missing  ? ""
                       : is_path ? "check the path; of a process, it is there while that runs"
                                 : "see \"ip netns list\", or give an absolute path");
  }
  const int type = ioctl(file.get(), NS_GET_NSTYPE);
  if (type != CLONE_NEWNET) {
    return KernelError(EINVAL, tried, type < 0 ? "it is no namespace" : "it is no network one");
  }
  return Of(std::move(file));
}

std::string NetworkNamespace::Name() const {
  for (const NamespaceMount& mount : NetworkNamespaceMounts()) {
    if (mount.inode == inode_) {
      return std::string(absl::StripPrefix(mount.path, kNamedNamespaces));
    }
  }
  return absl::StrCat("net:[", inode_, "]");
}

absl::Status NetworkNamespace::Run(absl::FunctionRef<absl::Status()> work) const {
  struct stat own;
  if (stat(kOwnNamespace, &own) == 0 && own.st_ino == inode_) return work();
  absl::Status status;
  std::thread([&] {
    status = Enter(file_.get());
    if (status.ok()) status = work();
  }).join();
  return status;
}

}  // namespace wakegate
