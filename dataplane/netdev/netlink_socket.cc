#include "dataplane/netdev/netlink_socket.h"

#include <libmnl/libmnl.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "dataplane/kernel/kernel_error.h"
#include "dataplane/netdev/netlink_attributes.h"

namespace wakegate {
namespace {

// The kernel's own explanation in an acknowledgement; empty where it gave none.
std::string Explanation(const nlmsghdr& message) {
  std::string explanation;
  if ((message.nlmsg_flags & NLM_F_ACK_TLVS) == 0) return explanation;
  // NETLINK_CAP_ACK: the request is not echoed, so attributes follow nlmsgerr at once.
  ForEachAttribute(message, sizeof(nlmsgerr), [&](const nlattr& attribute) {
    if (mnl_attr_get_type(&attribute) == NLMSGERR_ATTR_MSG) {
      explanation = mnl_attr_get_str(&attribute);
    }
  });
  return explanation;
}

absl::Status AcknowledgementStatus(const nlmsghdr& message, absl::string_view tried) {
  const auto* acknowledgement = static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(&message));
  if (acknowledgement->error == 0) return absl::OkStatus();
  const int error = -acknowledgement->error;
  std::string hint = Explanation(message);
  if (hint.empty() && error == EPERM) hint = "needs CAP_NET_ADMIN";
  return KernelError(error, tried, hint);
}

// A list ends with an errno, or the 0 that there was none.
absl::Status DoneStatus(const nlmsghdr& message, absl::string_view tried) {
  const int error = -*static_cast<const int*>(mnl_nlmsg_get_payload(&message));
  return error == 0 ? absl::OkStatus() : KernelError(error, tried);
}

}  // namespace

absl::StatusOr<NetlinkSocket> NetlinkSocket::OpenRoute(uint32_t groups) {
  return Open(NETLINK_ROUTE, groups);
}

absl::StatusOr<NetlinkSocket> NetlinkSocket::OpenGeneric() { return Open(NETLINK_GENERIC, 0); }

absl::StatusOr<NetlinkSocket> NetlinkSocket::Open(int protocol, uint32_t groups) {
  FileDescriptor fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
  if (!fd.valid()) return KernelError(errno, "open a netlink socket");
  const int on = 1;
  sockaddr_nl address = {};
  address.nl_family = AF_NETLINK;
  address.nl_groups = groups;
  if (setsockopt(fd.get(), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) != 0 ||
      setsockopt(fd.get(), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on)) != 0 ||
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return KernelError(errno, "set up a netlink socket");
  }
  return NetlinkSocket(std::move(fd));
}

absl::Status NetlinkSocket::Call(nlmsghdr& request, absl::string_view tried,
                                 absl::FunctionRef<void(const nlmsghdr&)> on_answer) {
  request.nlmsg_seq = ++sequence_;
  request.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
  if (send(fd(), &request, request.nlmsg_len, 0) < 0) return KernelError(errno, tried);
  alignas(nlmsghdr) char buffer[kNetlinkBufferSize];
  bool changed = false;
  for (;;) {
    const ssize_t received = recv(fd(), buffer, sizeof(buffer), 0);
    if (received < 0) {
      if (errno == EINTR) continue;
      return KernelError(errno, tried);
    }
    int rest = static_cast<int>(received);
    const auto* message = reinterpret_cast<const nlmsghdr*>(buffer);
    for (; mnl_nlmsg_ok(message, rest); message = mnl_nlmsg_next(message, &rest)) {
      if (message->nlmsg_seq != sequence_) continue;
      changed |= (message->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
      if (message->nlmsg_type == NLMSG_ERROR) return AcknowledgementStatus(*message, tried);
      if (message->nlmsg_type == NLMSG_DONE) {
        return changed ? absl::AbortedError(absl::StrCat(tried, ": it changed meanwhile"))
                       : DoneStatus(*message, tried);
      }
      on_answer(*message);
    }
  }
}

absl::Status NetlinkSocket::Call(nlmsghdr& request, absl::string_view tried) {
  return Call(request, tried, [](const nlmsghdr&) {});
}

}  // namespace wakegate
