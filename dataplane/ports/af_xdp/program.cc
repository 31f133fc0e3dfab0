#include "dataplane/ports/af_xdp/program.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/ports/af_xdp/xsk_program.skel.h"

namespace wakegate {
namespace {

constexpr std::chrono::seconds kPatienceWithOurs{2};
constexpr std::chrono::milliseconds kBetweenTries{20};

// A program that is attached to a device.
struct AttachedProgram {
  uint32_t id = 0;   // 0: there is none.
  std::string name;  // Empty where we may not ask.
};

AttachedProgram FindAttached(int interface_index) {
  LIBBPF_OPTS(bpf_xdp_query_opts, query);
  if (bpf_xdp_query(interface_index, 0, &query) != 0) return {};
  AttachedProgram attached = {.id = query.prog_id, .name = ""};
  for (const uint32_t id : {query.drv_prog_id, query.skb_prog_id, query.hw_prog_id}) {
    if (attached.id == 0) attached.id = id;
  }
  if (attached.id == 0) return attached;
  const FileDescriptor program(bpf_prog_get_fd_by_id(attached.id));
  bpf_prog_info info = {};
  uint32_t size = sizeof(info);
  if (program.valid() && bpf_obj_get_info_by_fd(program.get(), &info, &size) == 0) {
    attached.name = info.name;
  }
  return attached;
}

absl::Status TakenError(const AttachedProgram& attached, const std::string& interface) {
  const bool ours = attached.name == XdpProgram::kName;
  return absl::AlreadyExistsError(absl::StrCat(
      "attach an XDP program to ", interface, ": it has ",
      attached.name.empty() ? "another one" : absl::StrCat("\"", attached.name, "\""), " (id ",
      attached.id, ") already, which is left alone; ",
      ours ? "another gateway has the device"
           : absl::StrCat("detach it (ip link set dev ", interface,
                          " xdp off, or end who attached it), or use a port of kind af_packet")));
}

// veth_xdp_set in drivers/net/veth.c answers with the first two.
const char* HintFor(int error) {
  switch (error) {
    case ERANGE:
      return "the MTU of the other end is too large for XDP";
    case ENOSPC:
      return "it has fewer receive queues than its other end has transmit queues: see ethtool -L";
    case EOPNOTSUPP:
      return "its driver knows no XDP";
    case EPERM:
      return "needs CAP_BPF and CAP_NET_ADMIN";
    default:
      return "";
  }
}

}  // namespace

void XdpProgram::Destroy::operator()(xsk_program_bpf* skeleton) const {
  xsk_program_bpf__destroy(skeleton);
}

absl::StatusOr<XdpProgram> XdpProgram::Load(const XdpSelector& selector) {
  // Its own lines would go to the error output; the errors say what there is to say.
  libbpf_set_print(nullptr);
  xsk_program_bpf* skeleton = xsk_program_bpf__open();
  if (skeleton == nullptr) return KernelError(errno, "open the XDP program");
  XdpProgram program(skeleton);
  auto& data = *skeleton->rodata;
  static_assert(std::size(decltype(skeleton->rodata->ports){}) == XdpSelector::kMaxTerms);
  data.takes_all = selector.all ? 1 : 0;
  data.ether_type_count = static_cast<uint32_t>(selector.ether_types.size());
  data.protocol_count = static_cast<uint32_t>(selector.protocols.size());
  data.port_count = static_cast<uint32_t>(selector.ports.size());
  std::ranges::transform(selector.ether_types, data.ether_types, htons);
  std::ranges::copy(selector.protocols, data.protocols);
  std::ranges::transform(selector.ports, data.ports, htons);
  if (const int error = xsk_program_bpf__load(skeleton); error != 0) {
    return KernelError(-error, "load the XDP program",
                       error == -EPERM ? "needs CAP_BPF and CAP_NET_ADMIN" : "needs Linux 5.18");
  }
  return program;
}

absl::Status XdpProgram::Attach(int interface_index, const std::string& interface, bool generic) {
  LIBBPF_OPTS(bpf_link_create_opts, options);
  options.flags = generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;
  const auto end = std::chrono::steady_clock::now() + kPatienceWithOurs;
  while (true) {
    const int link = bpf_link_create(bpf_program__fd(skeleton_->progs.wakegate_xsk),
                                     interface_index, BPF_XDP, &options);
    if (link >= 0) {
      link_ = FileDescriptor(link);
      return absl::OkStatus();
    }
    const int error = -link;
    // EEXIST: there is one of the other kind.
    if (error == EBUSY || error == EEXIST) {
      const AttachedProgram attached = FindAttached(interface_index);
      const bool wait = attached.id == 0 || attached.name == kName;
      if (!wait || std::chrono::steady_clock::now() >= end) return TakenError(attached, interface);
      std::this_thread::sleep_for(kBetweenTries);
      continue;
    }
    return KernelError(
        error, absl::StrCat("attach an XDP program to ", interface, generic ? "" : " natively"),
        HintFor(error));
  }
}

absl::Status XdpProgram::SetSocket(uint32_t queue, int socket) {
  const auto value = static_cast<uint32_t>(socket);
  if (bpf_map_update_elem(bpf_map__fd(skeleton_->maps.sockets), &queue, &value, BPF_ANY) == 0) {
    return absl::OkStatus();
  }
  return KernelError(errno, absl::StrCat("give queue ", queue, " to its AF_XDP socket"));
}

}  // namespace wakegate
