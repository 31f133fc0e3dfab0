#include "dataplane/ports/tap/attach.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/kernel/tun.h"
#include "dataplane/netdev/network_device.h"
#include "dataplane/packet/virtio_net_header.h"
#include "dataplane/ports/tap/holder.h"

namespace wakegate {
namespace {

constexpr char kTunPath[] = "/dev/net/tun";
constexpr short kBaseFlags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
constexpr unsigned kBaseOffloads = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;

absl::StatusOr<FileDescriptor> OpenTun() {
  FileDescriptor file(open(kTunPath, O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (file.valid()) return file;
  const int error = errno;
  const bool denied = error == EPERM || error == EACCES;
  return KernelError(error, absl::StrCat("open ", kTunPath),
                     denied
                         ? "allow it to this user, and in a container the device 10:200"
                         : "load it with \"modprobe tun\"; a container must be given the device");
}

// Tries again while the errno that `attempt` gives is EBUSY, for a while. Gives the last.
int WithPatience(absl::FunctionRef<int()> attempt) {
  // 1, 2, … 128 ms: a quarter of a second in all.
  std::chrono::milliseconds pause(1);
  for (;;) {
    const int error = attempt();
    if (error != EBUSY || pause.count() > 128) return error;
    std::this_thread::sleep_for(pause);
    pause *= 2;
  }
}

// Makes `file` a queue of the tap of that name. The errno, or 0.
int SetInterface(const FileDescriptor& file, const std::string& name, short flags) {
  return WithPatience([&] {
    ifreq request = {};
    std::memcpy(request.ifr_name, name.data(), name.size());
    request.ifr_flags = flags;
    return ioctl(file.get(), TUNSETIFF, &request) == 0 ? 0 : errno;
  });
}

// A tap that was made for several queues gives one to anybody who asks, and then each gets a part
// of the packets. EBUSY where somebody has it already, else 0.
int CheckUnused(const std::string& name) {
  return WithPatience([&] {
    absl::StatusOr<NetworkDevice> device = NetworkDevice::Find(name);
    if (!device.ok()) return 0;  // It is yet to be made.
    const absl::StatusOr<LinkState> state = device->Read();
    return state.ok() && state->tun_queues > 0 ? EBUSY : 0;
  });
}

// Why TUNSETIFF said EINVAL, which it does whenever a device of that name is another than the one
// asked for (tun_set_iff in drivers/net/tun.c).
std::string WhyInvalid(const std::string& name) {
  absl::StatusOr<NetworkDevice> device = NetworkDevice::Find(name);
  if (!device.ok()) return "the kernel refuses the name";
  const absl::StatusOr<LinkState> state = device->Read();
  if (!state.ok()) return "the device has just vanished";
  if (state->kind != "tun") {
    return absl::StrCat("it exists and is ", state->kind.empty() ? "no" : state->kind + ", not a",
                        " tap; choose another interface name");
  }
  if (!state->ethernet) return "it exists and is a tun, not a tap; choose another interface name";
  return absl::StrCat("it exists with one queue only; delete it with \"ip link del ", name,
                      "\", or ask for one queue");
}

std::string WhyBusy(const std::string& name) {
  if (IsTapHeldHere(name)) return "another port has it; choose another interface name";
  const std::string holder = FindTapHolder(name);
  return absl::StrCat("held by ", holder.empty() ? "a process that is not visible here" : holder,
                      "; end it, or choose another interface name");
}

absl::Status AttachQueue(const FileDescriptor& file, const std::string& name, bool several) {
  int error = SetInterface(file, name, kBaseFlags | (several ? IFF_MULTI_QUEUE : 0));
  // A tap that was made for several queues serves as well with one.
  if (error == EINVAL && !several) {
    error = SetInterface(file, name, kBaseFlags | IFF_MULTI_QUEUE);
  }
  if (error == 0) return absl::OkStatus();
  std::string hint;
  if (error == EPERM) hint = "needs CAP_NET_ADMIN";
  if (error == EBUSY) hint = WhyBusy(name);
  if (error == EINVAL) hint = WhyInvalid(name);
  return KernelError(error, absl::StrCat("TUNSETIFF ", name), hint);
}

// Of the whole device; any queue will do. An existing device may have been left with others.
absl::Status SetHeaderFormat(const FileDescriptor& file, const std::string& name) {
  const int header_bytes = sizeof(virtio_net_hdr);
  if (ioctl(file.get(), TUNSETVNETHDRSZ, &header_bytes) != 0) {
    return KernelError(errno, absl::StrCat("TUNSETVNETHDRSZ ", name));
  }
  const int little_endian = 1;
  if (ioctl(file.get(), TUNSETVNETLE, &little_endian) != 0) {
    return KernelError(errno, absl::StrCat("TUNSETVNETLE ", name));
  }
  return absl::OkStatus();
}

// Whether UDP segmentation was among what the kernel knows.
absl::StatusOr<bool> OfferOffloads(const FileDescriptor& file, const std::string& name) {
  if (ioctl(file.get(), TUNSETOFFLOAD, kBaseOffloads | TUN_F_USO4 | TUN_F_USO6) == 0) return true;
  if (errno == EINVAL && ioctl(file.get(), TUNSETOFFLOAD, kBaseOffloads) == 0) return false;
  return KernelError(errno, absl::StrCat("TUNSETOFFLOAD ", name));
}

}  // namespace

absl::StatusOr<AttachedTap> AttachTap(const std::string& name, uint32_t queues) {
  if (name.empty() || name.size() >= IFNAMSIZ) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tap ", name.substr(0, IFNAMSIZ), ": a name has 1 to ", IFNAMSIZ - 1, " characters"));
  }
  if (const int error = CheckUnused(name); error != 0) {
    return KernelError(error, absl::StrCat("tap ", name), WhyBusy(name));
  }
  AttachedTap tap;
  for (uint32_t i = 0; i < queues; ++i) {
    absl::StatusOr<FileDescriptor> file = OpenTun();
    if (!file.ok()) return file.status();
    const absl::Status status = AttachQueue(*file, name, queues > 1);
    if (!status.ok()) return status;
    tap.queues.push_back(*std::move(file));
  }
  const FileDescriptor& any = tap.queues.front();
  const absl::Status status = SetHeaderFormat(any, name);
  if (!status.ok()) return status;
  const absl::StatusOr<bool> udp_segmentation = OfferOffloads(any, name);
  if (!udp_segmentation.ok()) return udp_segmentation.status();
  tap.udp_segmentation = *udp_segmentation;
  return tap;
}

absl::Status CheckMayBeTap(const std::string& name) {
  absl::StatusOr<NetworkDevice> device = NetworkDevice::Find(name);
  if (!device.ok()) return absl::OkStatus();  // It is yet to be made.
  const absl::StatusOr<LinkState> state = device->Read();
  if (!state.ok() || (state->kind == "tun" && state->ethernet)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("tap ", name, ": ", WhyInvalid(name)));
}

}  // namespace wakegate
