// The virtio-net header (virtio 1.1, 5.1.6) that taps, packet sockets and guests put before a
// frame, to and from our mbuf flags (offload.h).
#ifndef DATAPLANE_PACKET_VIRTIO_NET_HEADER_H_
#define DATAPLANE_PACKET_VIRTIO_NET_HEADER_H_

#include <rte_mbuf.h>

#include "dataplane/packet/linux_virtio_net.h"

namespace wakegate {

// Sets the flags and lengths of a received packet from its header. `header` is not trusted: false
// where it does not fit the packet's own headers or asks for what offload.h does not know: UDP
// fragmentation, segmentation within a tunnel, more than kMaxSegments segments. Drop it then as
// kBadOffload; it is unchanged. hdr_len is ignored. A checksum at a place that offload.h cannot
// express, such as within a tunnel, is completed at once.
bool ApplyVirtioNetHeader(const virtio_net_hdr& header, rte_mbuf& packet);

// The header that asks the receiver for what the packet asks of us.
virtio_net_hdr MakeVirtioNetHeader(const rte_mbuf& packet);

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_VIRTIO_NET_HEADER_H_
