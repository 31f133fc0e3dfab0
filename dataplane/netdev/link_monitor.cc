#include "dataplane/netdev/link_monitor.h"

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cerrno>

#include "dataplane/kernel/kernel_error.h"

namespace wakegate {
namespace {

void AddEvent(const nlmsghdr& message, LinkEvents& events) {
  if (message.nlmsg_type != RTM_NEWLINK && message.nlmsg_type != RTM_DELLINK) return;
  const auto* link = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(&message));
  // A port that leaves a bridge is told as RTM_DELLINK too, of the family AF_BRIDGE
  // (br_ifinfo_notify in net/bridge/br_netlink.c).
  if (message.nlmsg_type == RTM_DELLINK && link->ifi_family == AF_UNSPEC) {
    events.vanished.insert(link->ifi_index);
  } else {
    events.changed.insert(link->ifi_index);
  }
}

}  // namespace

absl::StatusOr<LinkMonitor> LinkMonitor::Open() {
  absl::StatusOr<NetlinkSocket> socket = NetlinkSocket::OpenRoute(RTMGRP_LINK);
  if (!socket.ok()) return socket.status();
  return LinkMonitor(*std::move(socket));
}

absl::StatusOr<LinkEvents> LinkMonitor::ReadEvents() {
  LinkEvents events;
  alignas(nlmsghdr) char buffer[kNetlinkBufferSize];
  for (;;) {
    const ssize_t received = recv(fd(), buffer, sizeof(buffer), MSG_DONTWAIT);
    if (received < 0) {
      if (errno == EAGAIN) return events;
      if (errno == EINTR) continue;
      // Told once; what the socket still holds follows.
      if (errno != ENOBUFS) return KernelError(errno, "read link events");
      events.overrun = true;
      continue;
    }
    int rest = static_cast<int>(received);
    const auto* message = reinterpret_cast<const nlmsghdr*>(buffer);
    for (; mnl_nlmsg_ok(message, rest); message = mnl_nlmsg_next(message, &rest)) {
      AddEvent(*message, events);
    }
  }
}

}  // namespace wakegate
