// Requests to the kernel's tables of devices and routes (man 7 rtnetlink) and to what has a netlink
// family of its own (Documentation/userspace-api/netlink/intro.rst).
#ifndef DATAPLANE_NETDEV_NETLINK_SOCKET_H_
#define DATAPLANE_NETDEV_NETLINK_SOCKET_H_

#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dataplane/kernel/file_descriptor.h"

namespace wakegate {

// Enough for any message about a link: about 1.5 KB, since we ask for nothing that grows with the
// device (virtual functions come only with RTEXT_FILTER_VF; rtnl_fill_ifinfo in
// net/core/rtnetlink.c).
inline constexpr std::size_t kNetlinkBufferSize = 32768;

// A socket in one network namespace, for good. One thread at a time.
class NetlinkSocket {
 public:
  // In the network namespace of the calling thread. `groups`: RTMGRP_… to listen to.
  static absl::StatusOr<NetlinkSocket> OpenRoute(uint32_t groups = 0);
  static absl::StatusOr<NetlinkSocket> OpenGeneric();

  // Sends one request and waits for its answer. `on_answer` sees each message of the answer that
  // is not an acknowledgement. An error reads "<tried>: <the kernel's answer> (<the kernel's
  // explanation, where it gives one>)". ABORTED where a list (NLM_F_DUMP) changed meanwhile, so
  // that it may lack some: ask again.
  absl::Status Call(nlmsghdr& request, absl::string_view tried,
                    absl::FunctionRef<void(const nlmsghdr&)> on_answer);
  // A request without an answer but its acknowledgement.
  absl::Status Call(nlmsghdr& request, absl::string_view tried);

  int fd() const { return fd_.get(); }

 private:
  static absl::StatusOr<NetlinkSocket> Open(int protocol, uint32_t groups);

  explicit NetlinkSocket(FileDescriptor fd) : fd_(std::move(fd)) {}

  FileDescriptor fd_;
  uint32_t sequence_ = 0;
};

}  // namespace wakegate

#endif  // DATAPLANE_NETDEV_NETLINK_SOCKET_H_
