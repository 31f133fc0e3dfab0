#include "dataplane/netdev/network_device.h"

#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <netinet/ether.h>

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

// A list is asked for anew while devices come and go: so often, then it is given up.
constexpr int kMostListings = 100;

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
  alignas(nlmsghdr) char buffer_[512] = {};
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

void ParseKindData(const nlattr& data, LinkState& state) {
  if (state.kind != "tun") return;
  ForEachNestedAttribute(data, [&](const nlattr& attribute) {
    const uint16_t type = mnl_attr_get_type(&attribute);
    if (type != IFLA_TUN_NUM_QUEUES && type != IFLA_TUN_NUM_DISABLED_QUEUES) return;
    state.tun_queues += mnl_attr_get_u32(&attribute);
  });
}

// The kernel tells the kind before its data (rtnl_link_info_fill in net/core/rtnetlink.c).
void ParseLinkInfo(const nlattr& link_info, LinkState& state) {
  ForEachNestedAttribute(link_info, [&](const nlattr& attribute) {
    const uint16_t type = mnl_attr_get_type(&attribute);
    if (type == IFLA_INFO_KIND) state.kind = mnl_attr_get_str(&attribute);
    if (type == IFLA_INFO_DATA) ParseKindData(attribute, state);
  });
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
    case IFLA_IFALIAS:
      state.alias = mnl_attr_get_str(&attribute);
      break;
    case IFLA_STATS64:
      state.counters = Counters(attribute);
      break;
    case IFLA_LINKINFO:
      ParseLinkInfo(attribute, state);
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

absl::StatusOr<LinkState> ReadLink(NetlinkSocket& socket, LinkRequest& request,
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
  if (name.empty() || name.size() >= IFNAMSIZ) {
    return absl::InvalidArgumentError(absl::StrCat(
        "interface ", name.substr(0, IFNAMSIZ), ": a name has 1 to ", IFNAMSIZ - 1, " characters"));
  }
  absl::StatusOr<NetlinkSocket> socket = NetlinkSocket::OpenRoute();
  if (!socket.ok()) return socket.status();
  LinkRequest request(RTM_GETLINK, 0);
  mnl_attr_put_strz(&request.header(), IFLA_IFNAME, std::string(name).c_str());
  const absl::StatusOr<LinkState> state = ReadLink(*socket, request, name);
  if (!state.ok()) return state.status();
  return NetworkDevice(*std::move(socket), *state);
}

absl::StatusOr<std::vector<LinkState>> NetworkDevice::List(const char* kind) {
  absl::StatusOr<NetlinkSocket> socket = NetlinkSocket::OpenRoute();
  if (!socket.ok()) return socket.status();
  for (int attempt = 1;; ++attempt) {
    LinkRequest request(RTM_GETLINK, 0);
    request.header().nlmsg_flags |= NLM_F_DUMP;
    nlattr* info = mnl_attr_nest_start(&request.header(), IFLA_LINKINFO);
    mnl_attr_put_strz(&request.header(), IFLA_INFO_KIND, kind);
    mnl_attr_nest_end(&request.header(), info);
    std::vector<LinkState> links;
    const absl::Status status =
        socket->Call(request.header(), "list interfaces", [&](const nlmsghdr& message) {
          LinkState link = ParseLink(message);
          // A kernel that has not loaded the kind gives all there are.
          if (link.kind == kind) links.push_back(std::move(link));
        });
    if (status.ok()) return links;
    if (!absl::IsAborted(status) || attempt == kMostListings) return status;
  }
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

absl::Status NetworkDevice::SetMacAddress(absl::string_view mac_address) {
  const std::string tried = absl::StrCat("set MAC address of ", name_, " to ", mac_address);
  ether_addr address;
  if (ether_aton_r(std::string(mac_address).c_str(), &address) == nullptr) {
    return KernelError(EINVAL, tried);
  }
  LinkRequest request(RTM_SETLINK, index_);
  mnl_attr_put(&request.header(), IFLA_ADDRESS, sizeof(address), &address);
  return socket_.Call(request.header(), tried);
}

absl::Status NetworkDevice::SetAlias(const std::string& alias) {
  LinkRequest request(RTM_SETLINK, index_);
  // Without the 0 at the end: do_setlink takes all of it as the alias.
  mnl_attr_put(&request.header(), IFLA_IFALIAS, alias.size(), alias.data());
  return socket_.Call(request.header(), absl::StrCat("set alias of ", name_));
}

}  // namespace wakegate
