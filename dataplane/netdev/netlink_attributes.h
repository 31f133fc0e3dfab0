// Walks over netlink attributes (the loops of libmnl are macros that C++ does not take).
#ifndef DATAPLANE_NETDEV_NETLINK_ATTRIBUTES_H_
#define DATAPLANE_NETDEV_NETLINK_ATTRIBUTES_H_

#include <libmnl/libmnl.h>

#include <cstddef>

#include "absl/functional/function_ref.h"

namespace wakegate {

// Calls `visit` for each attribute of `message` behind its family's own header of `header_size`.
inline void ForEachAttribute(const nlmsghdr& message, std::size_t header_size,
                             absl::FunctionRef<void(const nlattr&)> visit) {
  const auto* attribute =
      static_cast<const nlattr*>(mnl_nlmsg_get_payload_offset(&message, header_size));
  const auto* end = static_cast<const char*>(mnl_nlmsg_get_payload_tail(&message));
  while (mnl_attr_ok(attribute, end - reinterpret_cast<const char*>(attribute))) {
    visit(*attribute);
    attribute = mnl_attr_next(attribute);
  }
}

// Calls `visit` for each attribute within `nest`.
inline void ForEachNestedAttribute(const nlattr& nest,
                                   absl::FunctionRef<void(const nlattr&)> visit) {
  const auto* attribute = static_cast<const nlattr*>(mnl_attr_get_payload(&nest));
  const char* end = reinterpret_cast<const char*>(attribute) + mnl_attr_get_payload_len(&nest);
  while (mnl_attr_ok(attribute, end - reinterpret_cast<const char*>(attribute))) {
    visit(*attribute);
    attribute = mnl_attr_next(attribute);
  }
}

}  // namespace wakegate

#endif  // DATAPLANE_NETDEV_NETLINK_ATTRIBUTES_H_
