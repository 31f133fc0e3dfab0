// What the kernel's tun driver has that Debian 12's headers (Linux 6.1) do not name.
#ifndef DATAPLANE_KERNEL_TUN_H_
#define DATAPLANE_KERNEL_TUN_H_

// UDP segmentation, from Linux 6.2 (include/uapi/linux/if_tun.h): "I can handle USO for IPv4 / IPv6
// packets". TUNSETOFFLOAD answers EINVAL to bits that it does not know.
#ifndef TUN_F_USO4
#define TUN_F_USO4 0x20
#define TUN_F_USO6 0x40
#endif

#endif  // DATAPLANE_KERNEL_TUN_H_
