#include "dataplane/ports/tap/device.h"

#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

#include "dataplane/kernel/kernel_error.h"

namespace wakegate {
namespace {

// What the queue's file says of its device.
struct Whereabouts {
  std::string name;
  FileDescriptor network_namespace;
  ino_t inode = 0;  // Which namespace it is.
};

absl::StatusOr<Whereabouts> Ask(const FileDescriptor& queue, absl::string_view name) {
  const auto error = [&](absl::string_view call) {
    if (errno == EBADFD) return KernelError(ENODEV, absl::StrCat("tap ", name), "it was deleted");
    return KernelError(errno, absl::StrCat(call, " ", name),
                       errno == EPERM ? "needs CAP_NET_ADMIN" : "");
  };
  Whereabouts result;
  ifreq request = {};
  if (ioctl(queue.get(), TUNGETIFF, &request) != 0) return error("TUNGETIFF");
  result.name = request.ifr_name;
  result.network_namespace = FileDescriptor(ioctl(queue.get(), TUNGETDEVNETNS));
  if (!result.network_namespace.valid()) return error("TUNGETDEVNETNS");
  struct stat status;
  if (fstat(result.network_namespace.get(), &status) != 0)
    return error("fstat network namespace of");
  result.inode = status.st_ino;
  return result;
}

}  // namespace

absl::StatusOr<TapDevice> TapDevice::Open(FileDescriptor queue, absl::string_view name) {
  absl::StatusOr<NetworkDevice> device = NetworkDevice::Find(name);
  if (!device.ok()) return device.status();
  const absl::StatusOr<Whereabouts> where = Ask(queue, name);
  if (!where.ok()) return where.status();
  return TapDevice(std::move(queue), *std::move(device), where->inode);
}

absl::Status TapDevice::Follow() {
  const absl::StatusOr<Whereabouts> where = Ask(queue_, device_.name());
  if (!where.ok()) return where.status();
  if (where->inode == inode_) return absl::OkStatus();
  absl::StatusOr<NetworkDevice> device =
      NetworkDevice::FindIn(where->network_namespace.get(), where->name);
  if (!device.ok()) return device.status();
  device_ = *std::move(device);
  inode_ = where->inode;
  return absl::OkStatus();
}

absl::StatusOr<LinkState> TapDevice::Read() {
  const absl::Status status = Follow();
  if (!status.ok()) return status;
  return device_.Read();
}

absl::Status TapDevice::SetUp(bool up) {
  const absl::Status status = Follow();
  return status.ok() ? device_.SetUp(up) : status;
}

absl::Status TapDevice::SetMtu(uint32_t mtu) {
  const absl::Status status = Follow();
  return status.ok() ? device_.SetMtu(mtu) : status;
}

absl::Status TapDevice::SetPersistent(bool persistent) {
  if (ioctl(queue_.get(), TUNSETPERSIST, persistent ? 1 : 0) == 0) return absl::OkStatus();
  return KernelError(errno, absl::StrCat("TUNSETPERSIST ", device_.name()));
}

}  // namespace wakegate
