#include "dataplane/ports/af_packet/socket.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/kernel/packet_socket.h"

namespace wakegate {
namespace {

// What may wait in the receive socket's queue, beside the ring: the whole of frames that are larger
// than the ring's. More than one TCP connection has under way (tcp_wmem: 4 MB).
constexpr int kReceiveBufferBytes = 16 << 20;
// What large frames under way may take: dozens of 64 KB.
constexpr int kLargeSendBufferBytes = 4 << 20;
// The least that the kernel charges for a frame under way on a 64-bit machine: an sk_buff and the
// smallest head that a frame fits in. With so much for each frame of the ring, a device that is
// slow fills the send buffer before it holds all frames of the ring, and so poll can tell when
// there is room again: it knows the send buffer only (datagram_poll), not the ring.
constexpr int kLeastBytesUnderWay = 768;

absl::Status SetOption(int socket, int option, int value, const char* name,
                       const PacketDevice& device) {
  if (setsockopt(socket, SOL_PACKET, option, &value, sizeof(value)) == 0) return absl::OkStatus();
  return KernelError(errno, absl::StrCat(name, " ", device.name));
}

// The kernel reckons with twice the value (man 7 socket). Without CAP_NET_ADMIN, rmem_max or
// wmem_max bounds it, and less is under way at a time.
void SetBufferBytes(int socket, int force_option, int option, int bytes) {
  const int value = bytes / 2;
  if (setsockopt(socket, SOL_SOCKET, force_option, &value, sizeof(value)) == 0) return;
  setsockopt(socket, SOL_SOCKET, option, &value, sizeof(value));
}

// Protocol 0: it receives nothing, at least until it is bound.
absl::StatusOr<FileDescriptor> OpenSocket(const PacketDevice& device) {
  FileDescriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!socket.valid()) {
    return KernelError(errno, absl::StrCat("open a packet socket for ", device.name),
                       errno == EPERM ? "needs CAP_NET_RAW" : "");
  }
  // Both before there is a ring.
  absl::Status status =
      SetOption(socket.get(), PACKET_VERSION, TPACKET_V2, "PACKET_VERSION TPACKET_V2", device);
  status.Update(SetOption(socket.get(), PACKET_VNET_HDR, 1, "PACKET_VNET_HDR", device));
  if (!status.ok()) return status;
  return socket;
}

absl::Status Bind(int socket, const PacketDevice& device, uint16_t protocol) {
  sockaddr_ll address = {};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(protocol);
  address.sll_ifindex = device.index;
  if (bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return KernelError(errno, absl::StrCat("bind a packet socket to ", device.name));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PacketSocket> OpenReceiveSocket(const PacketDevice& device, uint32_t ring_frames) {
  absl::StatusOr<FileDescriptor> socket = OpenSocket(device);
  if (!socket.ok()) return socket.status();
  absl::Status status =
      SetOption(socket->get(), PACKET_IGNORE_OUTGOING, 1, "PACKET_IGNORE_OUTGOING", device);
  // Any value but 0 switches it on.
  status.Update(SetOption(socket->get(), PACKET_COPY_THRESH, 1, "PACKET_COPY_THRESH", device));
  if (!status.ok()) return status;
  SetBufferBytes(socket->get(), SO_RCVBUFFORCE, SO_RCVBUF, kReceiveBufferBytes);
  absl::StatusOr<AfPacketRing> ring = AfPacketRing::Create(
      socket->get(), AfPacketRing::Direction::kReceive, ring_frames, device.name);
  if (!ring.ok()) return ring.status();
  status = Bind(socket->get(), device, ETH_P_ALL);
  if (!status.ok()) return status;
  return PacketSocket{*std::move(socket), *std::move(ring)};
}

absl::StatusOr<PacketSocket> OpenTransmitSocket(const PacketDevice& device, uint32_t ring_frames) {
  absl::StatusOr<FileDescriptor> socket = OpenSocket(device);
  if (!socket.ok()) return socket.status();
  const absl::Status status = SetOption(socket->get(), PACKET_LOSS, 1, "PACKET_LOSS", device);
  if (!status.ok()) return status;
  SetBufferBytes(socket->get(), SO_SNDBUFFORCE, SO_SNDBUF,
                 static_cast<int>(ring_frames) * kLeastBytesUnderWay);
  absl::StatusOr<AfPacketRing> ring = AfPacketRing::Create(
      socket->get(), AfPacketRing::Direction::kTransmit, ring_frames, device.name);
  if (!ring.ok()) return ring.status();
  const absl::Status bound = Bind(socket->get(), device, /*protocol=*/0);
  if (!bound.ok()) return bound;
  return PacketSocket{*std::move(socket), *std::move(ring)};
}

absl::StatusOr<FileDescriptor> OpenLargeTransmitSocket(const PacketDevice& device) {
  absl::StatusOr<FileDescriptor> socket = OpenSocket(device);
  if (!socket.ok()) return socket.status();
  SetBufferBytes(socket->get(), SO_SNDBUFFORCE, SO_SNDBUF, kLargeSendBufferBytes);
  const absl::Status bound = Bind(socket->get(), device, /*protocol=*/0);
  if (!bound.ok()) return bound;
  return socket;
}

// Both are in Linux 6.6; the former came in 6.2 (virtio_net_hdr_to_skb in linux/virtio_net.h).
bool SegmentsUdp(int socket) {
  int bytes = 0;
  socklen_t size = sizeof(bytes);
  return getsockopt(socket, SOL_PACKET, PACKET_VNET_HDR_SZ, &bytes, &size) == 0;
}

}  // namespace wakegate
