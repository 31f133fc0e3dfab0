// <linux/virtio_net.h> for C++, and what Linux 6.1's lacks. Include this in place of it.
#ifndef DATAPLANE_PACKET_LINUX_VIRTIO_NET_H_
#define DATAPLANE_PACKET_LINUX_VIRTIO_NET_H_

#include <linux/if_ether.h>
#include <linux/types.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ids.h>
#include <linux/virtio_types.h>

// One of its structures has a field of this name. All that it includes is included already.
#define class class_
#include <linux/virtio_net.h>
#undef class

// UDP in datagrams of equal size (include/uapi/linux/virtio_net.h since Linux 6.2).
#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

#endif  // DATAPLANE_PACKET_LINUX_VIRTIO_NET_H_
