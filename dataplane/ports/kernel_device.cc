#include "dataplane/ports/kernel_device.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace wakegate {

absl::StatusOr<FoundDevice> FindEthernetDevice(const std::string& interface) {
  absl::StatusOr<NetworkDevice> device = NetworkDevice::Find(interface);
  if (!device.ok()) return device.status();
  absl::StatusOr<LinkState> link = device->Read();
  if (!link.ok()) return link.status();
  if (!link->ethernet) {
    return absl::InvalidArgumentError(absl::StrCat(
        "open ", interface, ": not an Ethernet device (name a veth, a NIC, a bridge or the like)"));
  }
  return FoundDevice{*std::move(device), *std::move(link)};
}

}  // namespace wakegate
