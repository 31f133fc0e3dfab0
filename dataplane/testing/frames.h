// Frames for tests: built, put into mbufs of any shape, read back, and their checksums checked by
// plain loops that share nothing with the product. Any thread.
#ifndef DATAPLANE_TESTING_FRAMES_H_
#define DATAPLANE_TESTING_FRAMES_H_

#include <netinet/in.h>
#include <rte_mbuf.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataplane/packet/linux_virtio_net.h"

namespace wakegate::testing {

using Bytes = std::vector<uint8_t>;

// `size` bytes that differ from one `seed` to the next.
Bytes Pattern(std::size_t size, uint32_t seed = 1);

// `size` bytes, 14 at least, from 02:…:01 to 02:…:02: of EtherType 0x88b5 (for experiments, IEEE
// 802), with content that differs from one `seed` to the next.
Bytes RandomFrame(std::size_t size, uint32_t seed);

// Likewise, and where it has 18 bytes with `number` behind the header.
Bytes NumberedFrame(uint32_t number, std::size_t size = 60);

struct VlanTag {
  uint16_t tpid = 0x8100;
  uint16_t tci = 0;
};

// What a frame is made of. The defaults make a TCP segment over IPv4 without payload.
struct FrameSpec {
  std::vector<VlanTag> tags = {};  // Outermost first.
  bool ipv6 = false;
  uint8_t protocol = IPPROTO_TCP;  // Or IPPROTO_UDP; any other has no layer 4 header.
  Bytes ipv4_options = {};         // A multiple of 4, at most 40 bytes.
  // IPv6 extension headers, in order.
  struct Extension {
    uint8_t type;       // IPPROTO_HOPOPTS, _ROUTING or _DSTOPTS.
    uint16_t size = 8;  // A multiple of 8.
  };
  std::vector<Extension> extensions = {};
  uint16_t ip_id = 0x1234;
  uint32_t tcp_sequence = 0x10203040;
  uint8_t tcp_flags = 0x10;  // ACK.
  Bytes tcp_options = {};    // A multiple of 4, at most 40 bytes.
  // The TCP or UDP checksum field holds the sum of the pseudo header only (virtio 1.1, 5.1.6.2).
  bool partial_checksum = false;
  uint16_t source_port = 5001;
  uint16_t destination_port = 5002;
  Bytes payload = {};
};

// The frame, all lengths and checksums right. MACs: from 02:…:01 to 02:…:02.
Bytes BuildFrame(const FrameSpec& spec);

// Where its layers begin; l4 + l4_len is the payload.
struct FrameOffsets {
  uint16_t l3 = 0;
  uint16_t l4 = 0;
  uint16_t l4_len = 0;
};
FrameOffsets OffsetsOf(const FrameSpec& spec);

// The virtio-net header of a sender that leaves the frame's checksum to the device and, where
// `gso_size` is not 0, its segmentation.
virtio_net_hdr VirtioNetHeaderOf(const FrameSpec& spec, uint16_t gso_size = 0);

// Empty if the frame's IPv4, TCP and UDP checksums and its lengths are right, else what is wrong.
// A frame that is neither IPv4 nor IPv6 has nothing wrong.
std::string FindFrameError(std::span<const uint8_t> frame);

// The one's complement of the one's complement sum (RFC 1071), continued from `sum`.
uint16_t PlainChecksum(std::span<const uint8_t> bytes, uint32_t sum = 0);
// The sum of the pseudo header of the IP packet at `l3` for a layer 4 of `l4_bytes`.
uint32_t PseudoHeaderSum(std::span<const uint8_t> l3, uint8_t protocol, uint32_t l4_bytes);

// The bytes in new mbufs. `sizes`: how many go into the first, second, … mbuf (0 is allowed); what
// remains follows in mbufs that are full. Aborts where the pool is empty or a size too large.
rte_mbuf* MakePacket(rte_mempool* pool, std::span<const uint8_t> bytes,
                     std::span<const uint16_t> sizes = {});
// The bytes of the packet, whatever its shape.
Bytes BytesOf(const rte_mbuf& packet);

}  // namespace wakegate::testing

#endif  // DATAPLANE_TESTING_FRAMES_H_
