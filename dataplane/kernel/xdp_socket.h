// What the kernel's AF_XDP sockets have that Debian 12's headers (Linux 6.1) do not name
// (include/uapi/linux/if_xdp.h).
#ifndef DATAPLANE_KERNEL_XDP_SOCKET_H_
#define DATAPLANE_KERNEL_XDP_SOCKET_H_

#include <linux/if_xdp.h>

// Packets of several buffers, from Linux 6.6: a flag of bind, which older kernels answer with
// EINVAL, and one of descriptors: the packet goes on in the next one.
#ifndef XDP_USE_SG
#define XDP_USE_SG (1 << 4)
#endif
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD (1 << 0)
#endif

// How many packets one sendto sends where the kernel copies, from Linux 6.17: 32 to the size of the
// transmit ring. Older kernels answer ENOPROTOOPT, and send 32.
#ifndef XDP_MAX_TX_SKB_BUDGET
#define XDP_MAX_TX_SKB_BUDGET 9
#endif

#endif  // DATAPLANE_KERNEL_XDP_SOCKET_H_
