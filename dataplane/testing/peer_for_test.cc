#include "dataplane/testing/peer_for_test.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

namespace wakegate {
namespace {

void SetOption(int socket, int level, int option, int value) {
  ASSERT_EQ(setsockopt(socket, level, option, &value, sizeof(value)), 0) << std::strerror(errno);
}

// The outermost tag travels beside the frame.
void RestoreVlanTag(msghdr& message, Bytes& frame) {
  const cmsghdr* control = CMSG_FIRSTHDR(&message);
  if (control == nullptr || control->cmsg_type != PACKET_AUXDATA) return;
  tpacket_auxdata data;
  std::memcpy(&data, CMSG_DATA(control), sizeof(data));
  if ((data.tp_status & TP_STATUS_VLAN_VALID) == 0) return;
  const uint16_t tpid = data.tp_vlan_tpid;
  const uint16_t tci = data.tp_vlan_tci;
  const Bytes tag = {static_cast<uint8_t>(tpid >> 8), static_cast<uint8_t>(tpid),
                     static_cast<uint8_t>(tci >> 8), static_cast<uint8_t>(tci)};
  frame.insert(frame.begin() + 12, tag.begin(), tag.end());
}

}  // namespace

PeerForTest::PeerForTest(const std::string& interface)
    : socket_(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)) {
  SetOption(socket_.get(), SOL_PACKET, PACKET_VNET_HDR, 1);
  SetOption(socket_.get(), SOL_PACKET, PACKET_AUXDATA, 1);
  SetOption(socket_.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
  SetOption(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20);
  SetOption(socket_.get(), SOL_SOCKET, SO_SNDBUFFORCE, 64 << 20);
  sockaddr_ll address = {};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
  EXPECT_NE(address.sll_ifindex, 0) << interface;
  EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
}

void PeerForTest::Send(const Bytes& frame, const virtio_net_hdr& offload) {
  const int error = TrySend(frame, offload);
  ASSERT_EQ(error, 0) << std::strerror(error);
}

int PeerForTest::TrySend(const Bytes& frame, const virtio_net_hdr& offload) {
  virtio_net_hdr header = offload;
  iovec parts[] = {{&header, sizeof(header)}, {const_cast<uint8_t*>(frame.data()), frame.size()}};
  msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  // The frame's protocol: without it the kernel does not find a VLAN tag before a super-frame.
  sockaddr_ll to = {};
  socklen_t size = sizeof(to);
  if (getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&to), &size) != 0) return errno;
  to.sll_halen = 0;
  std::memcpy(&to.sll_protocol, frame.data() + 12, 2);
  message.msg_name = &to;
  message.msg_namelen = sizeof(to);
  return sendmsg(socket_.get(), &message, 0) < 0 ? errno : 0;
}

std::optional<PeerForTest::Frame> PeerForTest::Receive(std::chrono::milliseconds patience) {
  pollfd ready = {.fd = socket_.get(), .events = POLLIN, .revents = 0};
  if (poll(&ready, 1, static_cast<int>(patience.count())) != 1) return std::nullopt;
  Frame frame;
  frame.bytes.resize(70'000);
  iovec parts[] = {{&frame.offload, sizeof(frame.offload)},
                   {frame.bytes.data(), frame.bytes.size()}};
  alignas(cmsghdr) uint8_t control[256];
  msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t bytes = recvmsg(socket_.get(), &message, MSG_DONTWAIT);
  if (bytes < static_cast<ssize_t>(sizeof(frame.offload))) return std::nullopt;
  frame.bytes.resize(static_cast<std::size_t>(bytes) - sizeof(frame.offload));
  RestoreVlanTag(message, frame.bytes);
  return frame;
}

}  // namespace wakegate
