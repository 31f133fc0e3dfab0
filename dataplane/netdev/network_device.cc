#include "dataplane/netdev/network_device.h"

#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/netdev/netlink_attributes.h"

namespace wakegate {
namespace {

// A message about one link, with room for the few attributes that we ever send.
class LinkRequest {
 public:
  LinkRequest(uint16_t type, int index) {
    nlmsghdr* header = mnl_nlmsg_put_header(buffer_);
    header->nlmsg_type = type;
    auto* link = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(header, sizeof(ifinfomsg)));
    link->ifi_family = AF_UNSPEC;
    link->ifi_index = index;
  }

  nlmsghdr& header() { return *reinterpret_cast<nlmsghdr*>(buffer_); }
  ifinfomsg& link() { return *static_cast<ifinfomsg*>(mnl_nlmsg_get_payload(&header())); }

 private:
  alignas(nlmsghdr) char buffer_[256] = {};
};

std::string MacAddress(const nlattr& attribute) {
  if (mnl_attr_get_payload_len(&attribute) != 6) return "";
  const auto* mac = static_cast<const uint8_t*>(mnl_attr_get_payload(&attribute));
  return absl::StrFormat("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
                         mac[5]);
}

LinkCounters Counters(const nlattr& attribute) {
  // Newer kernels append fields; older ones know fewer. Copied because it is aligned to 4 only.
  rtnl_link_stats64 stats = {};
  std::memcpy(&stats, mnl_attr_get_payload(&attribute),
              std::min<std::size_t>(sizeof(stats), mnl_attr_get_payload_len(&attribute)));
  return {.rx_packets = stats.rx_packets,
          .tx_packets = stats.tx_packets,
          .rx_bytes = stats.rx_bytes,
          .tx_bytes = stats.tx_bytes,
          .rx_dropped = stats.rx_dropped,
          .tx_dropped = stats.tx_dropped,
          .rx_errors = stats.rx_errors,
          .tx_errors = stats.tx_errors};
}

std::string Kind(const nlattr& link_info) {
  std::string kind;
  ForEachNestedAttribute(link_info, [&](const nlattr& attribute) {
    if (mnl_attr_get_type(&attribute) == IFLA_INFO_KIND) kind = mnl_attr_get_str(&attribute);
  });
  return kind;
}

void ParseAttribute(const nlattr& attribute, LinkState& state) {
  switch (mnl_attr_get_type(&attribute)) {
    case IFLA_IFNAME:
      state.name = mnl_attr_get_str(&attribute);
      break;
    case IFLA_MTU:
      state.mtu = mnl_attr_get_u32(&attribute);
      break;
    case IFLA_ADDRESS:
      state.mac_address = MacAddress(attribute);
      break;
    case IFLA_STATS64:
      state.counters = Counters(attribute);
      break;
    case IFLA_LINKINFO:
      state.kind = Kind(attribute);
      break;
    default:
      break;
  }
}

LinkState ParseLink(const nlmsghdr& message) {
  const auto* link = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(&message));
  LinkState state;
  state.index = link->ifi_index;
  state.admin_up = (link->ifi_flags & IFF_UP) != 0;
  state.carrier = (link->ifi_flags & IFF_LOWER_UP) != 0;
  state.ethernet = link->ifi_type == ARPHRD_ETHER;
  ForEachAttribute(message, sizeof(ifinfomsg),
                   [&](const nlattr& attribute) { ParseAttribute(attribute, state); });
  return state;
}

absl::StatusOr<LinkState> ReadLink(RouteSocket& socket, LinkRequest& request,
                                   absl::string_view name) {
  const std::string tried = absl::StrCat("interface ", name);
  std::optional<LinkState> state;
  const absl::Status status = socket.Call(request.header(), tried, [&](const nlmsghdr& message) {
    if (message.nlmsg_type == RTM_NEWLINK) state = ParseLink(message);
  });
  if (absl::IsNotFound(status)) {
    return KernelError(ENODEV, tried, "create it, or check the name with \"ip link\"");
  }
  if (!status.ok()) return status;
  if (!state.has_value()) return KernelError(ENODATA, tried);
  return *std::move(state);
}

}  // namespace

absl::StatusOr<NetworkDevice> NetworkDevice::Find(absl::string_view name) {
  absl::StatusOr<RouteSocket> socket = RouteSocket::Open();
  if (!socket.ok()) return socket.status();
  return Find(*std::move(socket), name);
}

absl::StatusOr<NetworkDevice> NetworkDevice::FindIn(int namespace_fd, absl::string_view name) {
  absl::StatusOr<RouteSocket> socket = RouteSocket::OpenIn(namespace_fd);
  if (!socket.ok()) return socket.status();
  return Find(*std::move(socket), name);
}

absl::StatusOr<NetworkDevice> NetworkDevice::Find(RouteSocket socket, absl::string_view name) {
  if (name.empty() || name.size() >= IFNAMSIZ) {
    return absl::InvalidArgumentError(absl::StrCat(
        "interface ", name.substr(0, IFNAMSIZ), ": a name has 1 to ", IFNAMSIZ - 1, " characters"));
  }
  LinkRequest request(RTM_GETLINK, 0);
  mnl_attr_put_strz(&request.header(), IFLA_IFNAME, std::string(name).c_str());
  const absl::StatusOr<LinkState> state = ReadLink(socket, request, name);
  if (!state.ok()) return state.status();
  return NetworkDevice(std::move(socket), *state);
}

absl::StatusOr<LinkState> NetworkDevice::Read() {
  LinkRequest request(RTM_GETLINK, index_);
  absl::StatusOr<LinkState> state = ReadLink(socket_, request, name_);
  if (state.ok()) name_ = state->name;
  return state;
}

absl::Status NetworkDevice::SetUp(bool up) {
  LinkRequest request(RTM_SETLINK, index_);
  request.link().ifi_change = IFF_UP;
  request.link().ifi_flags = up ? IFF_UP : 0;
  return socket_.Call(request.header(), absl::StrCat("set ", name_, up ? " up" : " down"));
}

absl::Status NetworkDevice::SetMtu(uint32_t mtu) {
  LinkRequest request(RTM_SETLINK, index_);
  mnl_attr_put_u32(&request.header(), IFLA_MTU, mtu);
  return socket_.Call(request.header(), absl::StrCat("set MTU of ", name_, " to ", mtu));
}

}  // namespace wakegate
