// What the kernel's packet sockets have that Debian 12's headers (Linux 6.1) do not name.
#ifndef DATAPLANE_KERNEL_PACKET_SOCKET_H_
#define DATAPLANE_KERNEL_PACKET_SOCKET_H_

// The size of the virtio-net header before each frame, from Linux 6.6 (linux/if_packet.h). Older
// kernels answer ENOPROTOOPT.
#ifndef PACKET_VNET_HDR_SZ
#define PACKET_VNET_HDR_SZ 24
#endif

#endif  // DATAPLANE_KERNEL_PACKET_SOCKET_H_
