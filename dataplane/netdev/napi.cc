#include "dataplane/netdev/napi.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "dataplane/netdev/netlink_attributes.h"
#include "dataplane/netdev/netlink_socket.h"

namespace wakegate {
namespace {

// What Debian 12's headers do not have (include/uapi/linux/netdev.h).
constexpr char kFamily[] = "netdev";
constexpr uint8_t kFamilyVersion = 1;
constexpr uint8_t kNapiGet = 11;
constexpr uint8_t kNapiSet = 14;
enum NapiAttribute : uint16_t {
  kInterfaceIndex = 1,
  kId = 2,
  kDeferHardIrqs = 5,
  kGroFlushTimeout = 6,  // Nanoseconds.
};

// A request of a generic netlink family.
class GenericRequest {
 public:
  GenericRequest(uint16_t family, uint8_t command, uint8_t version) {
    mnl_nlmsg_put_header(buffer_);
    header().nlmsg_type = family;
    auto* generic =
        static_cast<genlmsghdr*>(mnl_nlmsg_put_extra_header(&header(), sizeof(genlmsghdr)));
    generic->cmd = command;
    generic->version = version;
  }
  nlmsghdr& header() { return *reinterpret_cast<nlmsghdr*>(buffer_); }

 private:
  alignas(nlmsghdr) char buffer_[256] = {};
};

// NOT_FOUND where the kernel has no such family.
absl::StatusOr<uint16_t> FindFamily(NetlinkSocket& socket) {
  GenericRequest request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, /*version=*/1);
  mnl_attr_put_strz(&request.header(), CTRL_ATTR_FAMILY_NAME, kFamily);
  uint16_t family = 0;
  const absl::Status status =
      socket.Call(request.header(), "find netlink family netdev", [&](const nlmsghdr& message) {
        ForEachAttribute(message, sizeof(genlmsghdr), [&](const nlattr& attribute) {
          if (mnl_attr_get_type(&attribute) == CTRL_ATTR_FAMILY_ID) {
            family = mnl_attr_get_u16(&attribute);
          }
        });
      });
  if (!status.ok()) return status;
  return family;
}

// The kernel sends a number of 32 bits where it fits.
uint64_t NumberOf(const nlattr& attribute) {
  return mnl_attr_get_payload_len(&attribute) == sizeof(uint64_t) ? mnl_attr_get_u64(&attribute)
                                                                  : mnl_attr_get_u32(&attribute);
}

Napi ParseNapi(const nlmsghdr& message) {
  Napi napi;
  ForEachAttribute(message, sizeof(genlmsghdr), [&](const nlattr& attribute) {
    switch (mnl_attr_get_type(&attribute)) {
      case kId:
        napi.id = mnl_attr_get_u32(&attribute);
        break;
      case kDeferHardIrqs:
        napi.deferral.hard_irqs = mnl_attr_get_u32(&attribute);
        break;
      case kGroFlushTimeout:
        napi.deferral.flush_timeout = std::chrono::nanoseconds(NumberOf(attribute));
        break;
      default:
        break;
    }
  });
  return napi;
}

}  // namespace

absl::StatusOr<std::vector<Napi>> ListNapis(int interface_index) {
  absl::StatusOr<NetlinkSocket> socket = NetlinkSocket::OpenGeneric();
  if (!socket.ok()) return socket.status();
  const absl::StatusOr<uint16_t> family = FindFamily(*socket);
  if (!family.ok()) return family.status();
  GenericRequest request(*family, kNapiGet, kFamilyVersion);
  request.header().nlmsg_flags |= NLM_F_DUMP;
  mnl_attr_put_u32(&request.header(), kInterfaceIndex, static_cast<uint32_t>(interface_index));
  std::vector<Napi> napis;
  const absl::Status status =
      socket->Call(request.header(), absl::StrCat("list NAPI instances of ", interface_index),
                   [&](const nlmsghdr& message) { napis.push_back(ParseNapi(message)); });
  if (!status.ok()) return status;
  std::ranges::sort(napis, {}, &Napi::id);
  return napis;
}

absl::Status SetNapiDeferral(uint32_t napi, const NapiDeferral& deferral) {
  absl::StatusOr<NetlinkSocket> socket = NetlinkSocket::OpenGeneric();
  if (!socket.ok()) return socket.status();
  const absl::StatusOr<uint16_t> family = FindFamily(*socket);
  if (!family.ok()) return family.status();
  GenericRequest request(*family, kNapiSet, kFamilyVersion);
  mnl_attr_put_u32(&request.header(), kId, napi);
  mnl_attr_put_u32(&request.header(), kDeferHardIrqs, deferral.hard_irqs);
  mnl_attr_put_u64(&request.header(), kGroFlushTimeout,
                   static_cast<uint64_t>(deferral.flush_timeout.count()));
  return socket->Call(request.header(), absl::StrCat("set NAPI instance ", napi));
}

}  // namespace wakegate
