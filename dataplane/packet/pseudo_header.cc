#include "dataplane/packet/pseudo_header.h"

#include <netinet/in.h>
#include <rte_byteorder.h>
#include <rte_ip.h>

#include <cstddef>
#include <cstring>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/offload.h"

namespace wakegate {
namespace {

// What follows the addresses (RFC 9293, 3.1; RFC 8200, 8.1; for a sum they are the same).
struct PseudoEnd {
  rte_be32_t length;
  uint8_t zero[3];
  uint8_t protocol;
};

// The unfolded sum of `size` bytes, an even number.
uint64_t SumOf(const void* bytes, std::size_t size) {
  uint64_t sum = 0;
  for (std::size_t at = 0; at < size; at += sizeof(uint16_t)) {
    uint16_t word;
    std::memcpy(&word, static_cast<const uint8_t*>(bytes) + at, sizeof(word));
    sum += word;
  }
  return sum;
}

struct Layer3 {
  uint64_t sum_of_addresses;
  uint32_t payload_bytes;  // As the header says: a short frame is padded behind it.
};

std::optional<Layer3> ReadLayer3(const rte_mbuf& packet) {
  if ((packet.ol_flags & RTE_MBUF_F_TX_IPV4) != 0) {
    rte_ipv4_hdr copy;
    const rte_ipv4_hdr* ip = ReadHeader(packet, packet.l2_len, copy);
    if (ip == nullptr) return std::nullopt;
    const uint32_t bytes = rte_be_to_cpu_16(ip->total_length);
    return Layer3{SumOf(&ip->src_addr, 2 * sizeof(ip->src_addr)), bytes - packet.l3_len};
  }
  rte_ipv6_hdr copy;
  const rte_ipv6_hdr* ip = ReadHeader(packet, packet.l2_len, copy);
  if (ip == nullptr) return std::nullopt;
  const uint32_t bytes = rte_be_to_cpu_16(ip->payload_len) + sizeof(*ip);
  return Layer3{SumOf(ip->src_addr, sizeof(ip->src_addr) + sizeof(ip->dst_addr)),
                bytes - packet.l3_len};
}

}  // namespace

std::optional<uint16_t> PseudoHeaderSum(const rte_mbuf& packet, bool with_length) {
  const auto start = static_cast<uint32_t>(packet.l2_len + packet.l3_len);
  const bool tcp = (packet.ol_flags & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_TCP_CKSUM;
  const std::optional<Layer3> layer3 = ReadLayer3(packet);
  if (!layer3) return std::nullopt;
  // Whoever merges packets may leave the length in the first one's header as it was.
  const uint32_t bytes =
      AsksForSegmentation(packet) ? packet.pkt_len - start : layer3->payload_bytes;
  const PseudoEnd end = {.length = with_length ? rte_cpu_to_be_32(bytes) : 0,
                         .zero = {},
                         .protocol = static_cast<uint8_t>(tcp ? IPPROTO_TCP : IPPROTO_UDP)};
  return FoldSum(layer3->sum_of_addresses + SumOf(&end, sizeof(end)));
}

}  // namespace wakegate
