#include "dataplane/ports/tap/device.h"

#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <string>

#include "dataplane/kernel/kernel_error.h"
#include "dataplane/ports/tap/locate.h"

namespace wakegate {
namespace {

// What the queue's file says of its device.
struct Whereabouts {
  std::string name;
  NetworkNamespace network_namespace;
};

absl::Status Deleted(absl::string_view name) {
  return KernelError(ENODEV, absl::StrCat("tap ", name), "it was deleted");
}

absl::StatusOr<Whereabouts> Ask(const FileDescriptor& queue, absl::string_view name) {
  const auto error = [&](absl::string_view call) {
    if (errno == EBADFD) return Deleted(name);
    return KernelError(errno, absl::StrCat(call, " ", name),
                       errno == EPERM ? "needs CAP_NET_ADMIN" : "");
  };
  ifreq request = {};
  if (ioctl(queue.get(), TUNGETIFF, &request) != 0) return error("TUNGETIFF");
  FileDescriptor file(ioctl(queue.get(), TUNGETDEVNETNS));
  if (!file.valid()) return error("TUNGETDEVNETNS");
  absl::StatusOr<NetworkNamespace> network = NetworkNamespace::Of(std::move(file));
  if (!network.ok()) return network.status();
  return Whereabouts{.name = request.ifr_name, .network_namespace = *std::move(network)};
}

}  // namespace

void TapDevice::SetNamespace(const NetworkNamespace& where) {
  inode_ = where.inode();
  network_namespace_ = inode_ == own_ ? "" : where.Name();
}

absl::StatusOr<TapDevice> TapDevice::Open(FileDescriptor queue, absl::string_view name,
                                          const NetworkNamespace& own) {
  absl::StatusOr<NetworkDevice> device = NetworkDevice::Find(name);
  if (!device.ok()) return device.status();
  const absl::StatusOr<Whereabouts> where = Ask(queue, name);
  if (!where.ok()) return where.status();
  return TapDevice(std::move(queue), *std::move(device), own.inode(), where->network_namespace);
}

absl::Status TapDevice::Follow() {
  const absl::StatusOr<Whereabouts> where = Ask(queue_, device_.name());
  if (!where.ok()) return where.status();
  if (where->network_namespace.inode() == inode_) return absl::OkStatus();
  const absl::Status status = where->network_namespace.Run([&] {
    absl::StatusOr<NetworkDevice> device = NetworkDevice::Find(where->name);
    if (!device.ok()) return device.status();
    device_ = *std::move(device);
    return absl::OkStatus();
  });
  if (status.ok()) SetNamespace(where->network_namespace);
  return status;
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

absl::Status TapDevice::SetCarrier(bool on) {
  const int carrier = on ? 1 : 0;
  if (ioctl(queue_.get(), TUNSETCARRIER, &carrier) == 0) return absl::OkStatus();
  if (errno == EBADFD) return Deleted(device_.name());
  return KernelError(errno, absl::StrCat("TUNSETCARRIER ", device_.name()));
}

absl::Status TapDevice::SetMtu(uint32_t mtu) {
  const absl::Status status = Follow();
  return status.ok() ? device_.SetMtu(mtu) : status;
}

absl::Status TapDevice::SetMacAddress(absl::string_view mac_address) {
  const absl::Status status = Follow();
  return status.ok() ? device_.SetMacAddress(mac_address) : status;
}

absl::Status TapDevice::Mark(const std::string& mark) {
  const absl::StatusOr<LinkState> link = Read();
  if (!link.ok()) return link.status();
  return IsMarkOrEmpty(link->alias) ? device_.SetAlias(mark) : absl::OkStatus();
}

absl::Status TapDevice::SetPersistent(bool persistent) {
  if (ioctl(queue_.get(), TUNSETPERSIST, persistent ? 1 : 0) == 0) return absl::OkStatus();
  return KernelError(errno, absl::StrCat("TUNSETPERSIST ", device_.name()));
}

}  // namespace wakegate
