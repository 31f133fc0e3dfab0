#include "tests/traffic/packet_device.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/kernel_error.h"

namespace wakegate::testing {
namespace {

constexpr int kMostAtOnce = 64;
constexpr std::size_t kHeader = 14;
// To a locally administered address that no device here has, from another one.
constexpr std::array<uint8_t, kHeader> kFrameHeader = {0x02, 0, 0, 0,    0xff, 0x01, 0x02,
                                                       0,    0, 0, 0xff, 0x02, 0x88, 0xb5};

}  // namespace

std::array<uint8_t, kSmallestFrame> NumberedFrame(uint64_t number) {
  std::array<uint8_t, kSmallestFrame> frame = {};
  std::copy(kFrameHeader.begin(), kFrameHeader.end(), frame.begin());
  std::memcpy(frame.data() + kHeader, &number, sizeof(number));
  return frame;
}

std::optional<uint64_t> NumberOf(std::span<const uint8_t> frame) {
  uint64_t number = 0;
  if (frame.size() < kHeader + sizeof(number) ||
      !std::equal(kFrameHeader.begin(), kFrameHeader.end(), frame.begin())) {
    return std::nullopt;
  }
  std::memcpy(&number, frame.data() + kHeader, sizeof(number));
  return number;
}

absl::StatusOr<PacketDevice> PacketDevice::Open(const std::string& interface) {
  // Protocol 0: nothing is received before it is bound to the device.
  FileDescriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return KernelError(errno, "socket AF_PACKET", "needs CAP_NET_RAW");
  const int on = 1;
  for (const int option : {PACKET_QDISC_BYPASS, PACKET_IGNORE_OUTGOING}) {
    if (setsockopt(socket.get(), SOL_PACKET, option, &on, sizeof(on)) != 0) {
      return KernelError(errno, absl::StrCat("setsockopt SOL_PACKET ", option));
    }
  }
  sockaddr_ll address = {};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
  if (address.sll_ifindex == 0) return KernelError(errno, absl::StrCat("device ", interface));
  if (bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    return KernelError(errno, absl::StrCat("bind to ", interface));
  }
  return PacketDevice(std::move(socket));
}

int PacketDevice::Send(std::span<const uint8_t> frame, int count) {
  iovec bytes = {const_cast<uint8_t*>(frame.data()), frame.size()};
  std::array<mmsghdr, kMostAtOnce> messages = {};
  count = std::min(count, kMostAtOnce);
  for (int i = 0; i < count; ++i) {
    messages[i].msg_hdr.msg_iov = &bytes;
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  return sendmmsg(socket_.get(), messages.data(), static_cast<unsigned>(count), 0);
}

std::size_t PacketDevice::Receive(std::span<uint8_t> frame) {
  const ssize_t size = recv(socket_.get(), frame.data(), frame.size(), 0);
  return size < 0 ? 0 : static_cast<std::size_t>(size);
}

std::optional<std::chrono::nanoseconds> PacketDevice::TimeSinceArrival() {
  timespec arrived = {};
  if (ioctl(socket_.get(), SIOCGSTAMPNS, &arrived) != 0) return std::nullopt;
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::chrono::seconds(now.tv_sec - arrived.tv_sec) +
         std::chrono::nanoseconds(now.tv_nsec - arrived.tv_nsec);
}

}  // namespace wakegate::testing
