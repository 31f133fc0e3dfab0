// Packet sockets (man 7 packet) as this port's queues want them.
#ifndef DATAPLANE_PORTS_AF_PACKET_SOCKET_H_
#define DATAPLANE_PORTS_AF_PACKET_SOCKET_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/ports/af_packet/ring.h"

namespace wakegate {

// A device, in the network namespace of the calling thread.
struct PacketDevice {
  int index = 0;
  std::string name;  // For errors.
};

// A socket of the device and its ring.
struct PacketSocket {
  FileDescriptor socket;
  AfPacketRing ring;
};

// Receives all that arrives at the device, whoever it is for, and nothing of what leaves by it. A
// frame that does not fit into the ring's frames is in the ring in part, with TP_STATUS_COPY, and
// whole in the socket's queue, both in the same order (docs/decisions/0002). Each has a virtio-net
// header before it.
absl::StatusOr<PacketSocket> OpenReceiveSocket(const PacketDevice& device, uint32_t ring_frames);

// Sends what is in the ring, receives nothing. A frame that is malformed (shorter than its
// virtio-net header, say) is passed over and given back.
absl::StatusOr<PacketSocket> OpenTransmitSocket(const PacketDevice& device, uint32_t ring_frames);

// Sends frames of any length with sendmsg, each behind a virtio-net header; receives nothing.
absl::StatusOr<FileDescriptor> OpenLargeTransmitSocket(const PacketDevice& device);

// Whether the kernel segments UDP that a packet socket asks it to (VIRTIO_NET_HDR_GSO_UDP_L4).
// False too for Linux 6.2 to 6.5, which do but do not tell.
bool SegmentsUdp(int socket);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_PACKET_SOCKET_H_
