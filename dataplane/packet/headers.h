// Finds the layers of a packet from anyone: hostile, cut short, or split between mbufs anywhere.
#ifndef DATAPLANE_PACKET_HEADERS_H_
#define DATAPLANE_PACKET_HEADERS_H_

#include <rte_mbuf.h>

#include <cstdint>

namespace wakegate {

inline constexpr uint32_t kEthernetBytes = 14;
inline constexpr uint32_t kVlanTagBytes = 4;
inline constexpr uint32_t kMaxVlanTags = 2;
// The longest packet that anybody gives us: 64 KiB of IP in an Ethernet frame with two tags.
inline constexpr uint32_t kMaxPacketBytes = 65536 + kEthernetBytes + kMaxVlanTags * kVlanTagBytes;
// IPv6 extension headers that are looked through; real traffic has two at most.
inline constexpr uint32_t kMaxExtensionHeaders = 8;
// The largest l3_len that an mbuf can express.
inline constexpr uint32_t kMaxLayer3Bytes = (1 << RTE_MBUF_L3_LEN_BITS) - 1;

// Lengths in bytes. A length other than 0 says that the header is whole and within the packet; the
// lengths fit the mbuf fields of the same names.
struct Headers {
  // Ethernet with up to kMaxVlanTags tags of 802.1Q or 802.1ad. 0: a runt.
  uint32_t l2_len = 0;
  // IPv4 with options or IPv6 with extension headers. 0: neither, or more of them than we look
  // through.
  uint32_t l3_len = 0;
  // TCP with options or UDP. 0: neither, or a fragment.
  uint32_t l4_len = 0;
  uint8_t ip_version = 0;   // 4 or 6 where l3_len is not 0.
  uint8_t l4_protocol = 0;  // IPPROTO_… where l3_len is not 0 and the packet is no fragment.
};

// Any thread that owns the packet.
Headers ParseHeaders(const rte_mbuf& packet);

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_HEADERS_H_
