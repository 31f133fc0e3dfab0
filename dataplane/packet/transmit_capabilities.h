// What a port can transmit as it is. What it cannot, the adapt step does in software.
#ifndef DATAPLANE_PACKET_TRANSMIT_CAPABILITIES_H_
#define DATAPLANE_PACKET_TRANSMIT_CAPABILITIES_H_

#include <cstdint>

namespace wakegate {

struct TransmitCapabilities {
  // Largest layer 3 packet in bytes. Ethernet header and VLAN tags come on top.
  uint32_t mtu = 1500;
  // Completes the TCP and UDP checksums that a packet asks for (RTE_MBUF_F_TX_TCP_CKSUM, …).
  bool checksum = false;
  // Takes packets of up to 64 KB that ask for segmentation (RTE_MBUF_F_TX_TCP_SEG with
  // RTE_MBUF_F_TX_IPV4 or _IPV6, RTE_MBUF_F_TX_UDP_SEG). Each implies `checksum`.
  bool tcp4_segmentation = false;
  bool tcp6_segmentation = false;
  bool udp_segmentation = false;
  // Takes packets of several mbufs.
  bool chains = false;

  // Of a port behind which somebody does all of it: the kernel, or another part of the gateway.
  // `udp`: whether that one also segments UDP.
  static TransmitCapabilities All(uint32_t mtu, bool udp) {
    return {.mtu = mtu,
            .checksum = true,
            .tcp4_segmentation = true,
            .tcp6_segmentation = true,
            .udp_segmentation = udp,
            .chains = true};
  }

  bool operator==(const TransmitCapabilities&) const = default;
};

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_TRANSMIT_CAPABILITIES_H_
