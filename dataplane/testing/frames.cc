#include "dataplane/testing/frames.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace wakegate::testing {
namespace {

constexpr std::size_t kEthernetBytes = 14;
constexpr std::size_t kVlanTagBytes = 4;

void Append16(Bytes& bytes, uint32_t value) {
  bytes.push_back(static_cast<uint8_t>(value >> 8));
  bytes.push_back(static_cast<uint8_t>(value));
}
void Append32(Bytes& bytes, uint32_t value) {
  Append16(bytes, value >> 16);
  Append16(bytes, value);
}
void Append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}
void Set16(Bytes& bytes, std::size_t at, uint32_t value) {
  bytes[at] = static_cast<uint8_t>(value >> 8);
  bytes[at + 1] = static_cast<uint8_t>(value);
}
uint32_t Get16(std::span<const uint8_t> bytes, std::size_t at) {
  return static_cast<uint32_t>(bytes[at] << 8 | bytes[at + 1]);
}

uint32_t Sum(std::span<const uint8_t> bytes) {
  uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) sum += i % 2 == 0 ? bytes[i] << 8 : bytes[i];
  return sum;
}

std::size_t ChecksumOffset(uint8_t protocol) { return protocol == IPPROTO_TCP ? 16 : 6; }

Bytes Layer4(const FrameSpec& spec) {
  Bytes bytes;
  if (spec.protocol == IPPROTO_TCP || spec.protocol == IPPROTO_UDP) {
    Append16(bytes, spec.source_port);
    Append16(bytes, spec.destination_port);
  }
  if (spec.protocol == IPPROTO_TCP) {
    Append32(bytes, spec.tcp_sequence);
    Append32(bytes, 0x55667788);  // Acknowledgement.
    bytes.push_back(static_cast<uint8_t>((20 + spec.tcp_options.size()) / 4 << 4));
    bytes.push_back(spec.tcp_flags);
    Append16(bytes, 0xfaf0);  // Window.
    Append32(bytes, 0);       // Checksum, urgent pointer.
    Append(bytes, spec.tcp_options);
  } else if (spec.protocol == IPPROTO_UDP) {
    Append16(bytes, static_cast<uint32_t>(8 + spec.payload.size()));
    Append16(bytes, 0);
  }
  Append(bytes, spec.payload);
  return bytes;
}

Bytes Ipv4Header(const FrameSpec& spec, std::size_t l4_bytes) {
  const std::size_t header_bytes = 20 + spec.ipv4_options.size();
  Bytes bytes = {static_cast<uint8_t>(0x40 | header_bytes / 4), 0};
  Append16(bytes, static_cast<uint32_t>(header_bytes + l4_bytes));
  Append16(bytes, spec.ip_id);
  Append16(bytes, 0x4000);  // Do not fragment.
  bytes.push_back(64);
  bytes.push_back(spec.protocol);
  Append16(bytes, 0);
  Append32(bytes, 0x0a000001);
  Append32(bytes, 0x0a000002);
  Append(bytes, spec.ipv4_options);
  Set16(bytes, 10, PlainChecksum(bytes));
  return bytes;
}

Bytes Ipv6Headers(const FrameSpec& spec, std::size_t l4_bytes) {
  Bytes extensions;
  for (std::size_t i = 0; i < spec.extensions.size(); ++i) {
    const bool last = i + 1 == spec.extensions.size();
    Bytes header(spec.extensions[i].size);
    header[0] = last ? spec.protocol : spec.extensions[i + 1].type;
    header[1] = static_cast<uint8_t>(header.size() / 8 - 1);
    Append(extensions, header);
  }
  Bytes bytes;
  Append32(bytes, 0x60000000);
  Append16(bytes, static_cast<uint32_t>(extensions.size() + l4_bytes));
  bytes.push_back(spec.extensions.empty() ? spec.protocol : spec.extensions[0].type);
  bytes.push_back(64);
  for (const uint8_t host : {1, 2}) {
    Bytes address = {0xfd, 0x00};
    address.resize(16);
    address[15] = host;
    Append(bytes, address);
  }
  Append(bytes, extensions);
  return bytes;
}

std::string FindLayer4Error(std::span<const uint8_t> l3, std::span<const uint8_t> l4,
                            uint8_t protocol) {
  if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP) return "";
  if (l4.size() < (protocol == IPPROTO_TCP ? 20U : 8U)) return "layer 4 header cut short";
  if (protocol == IPPROTO_UDP && Get16(l4, 4) != l4.size()) return "UDP length wrong";
  if (protocol == IPPROTO_UDP && Get16(l4, 6) == 0) return "UDP checksum missing";
  const uint32_t pseudo_sum = PseudoHeaderSum(l3, protocol, static_cast<uint32_t>(l4.size()));
  if (PlainChecksum(l4, pseudo_sum) != 0) return "layer 4 checksum wrong";
  return "";
}

std::string FindIpv4Error(std::span<const uint8_t> l3) {
  if (l3.size() < 20) return "IPv4 header cut short";
  const std::size_t header_bytes = static_cast<std::size_t>(l3[0] & 0xf) * 4;
  const std::size_t total_bytes = Get16(l3, 2);
  if (header_bytes < 20 || total_bytes < header_bytes || total_bytes > l3.size()) {
    return "IPv4 length wrong";
  }
  if (PlainChecksum(l3.first(header_bytes)) != 0) return "IPv4 header checksum wrong";
  return FindLayer4Error(l3, l3.first(total_bytes).subspan(header_bytes), l3[9]);
}

std::string FindIpv6Error(std::span<const uint8_t> l3) {
  if (l3.size() < 40) return "IPv6 header cut short";
  std::size_t at = 40;
  const std::size_t end = at + Get16(l3, 4);
  if (end > l3.size()) return "IPv6 length wrong";
  uint8_t type = l3[6];
  while (type == IPPROTO_HOPOPTS || type == IPPROTO_ROUTING || type == IPPROTO_DSTOPTS) {
    if (at + 8 > end) return "IPv6 extension header cut short";
    type = l3[at];
    at += static_cast<std::size_t>(l3[at + 1] + 1) * 8;
  }
  if (at > end) return "IPv6 extension header cut short";
  return FindLayer4Error(l3, l3.first(end).subspan(at), type);
}

}  // namespace

Bytes Pattern(std::size_t size, uint32_t seed) {
  Bytes bytes(size);
  uint32_t state = seed * 2654435761U + 1;
  for (uint8_t& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<uint8_t>(state >> 24);
  }
  return bytes;
}

Bytes RandomFrame(std::size_t size, uint32_t seed) {
  Bytes frame = Pattern(size, seed);
  const uint8_t header[] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};
  std::copy(std::begin(header), std::end(header), frame.begin());
  return frame;
}

Bytes NumberedFrame(uint32_t number, std::size_t size) {
  Bytes frame = RandomFrame(size, number);
  if (size >= 18) std::memcpy(frame.data() + 14, &number, sizeof(number));
  return frame;
}

Bytes BuildFrame(const FrameSpec& spec) {
  Bytes l4 = Layer4(spec);
  const Bytes l3 = spec.ipv6 ? Ipv6Headers(spec, l4.size()) : Ipv4Header(spec, l4.size());
  if (spec.protocol == IPPROTO_TCP || spec.protocol == IPPROTO_UDP) {
    const uint32_t pseudo_sum =
        PseudoHeaderSum(l3, spec.protocol, static_cast<uint32_t>(l4.size()));
    uint16_t checksum = PlainChecksum(l4, pseudo_sum);
    if (checksum == 0 && spec.protocol == IPPROTO_UDP) checksum = 0xffff;  // RFC 768.
    if (spec.partial_checksum) checksum = static_cast<uint16_t>(~PlainChecksum({}, pseudo_sum));
    Set16(l4, ChecksumOffset(spec.protocol), checksum);
  }
  Bytes frame = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};
  for (const VlanTag& tag : spec.tags) {
    Append16(frame, tag.tpid);
    Append16(frame, tag.tci);
  }
  Append16(frame, spec.ipv6 ? 0x86dd : 0x0800);
  Append(frame, l3);
  Append(frame, l4);
  return frame;
}

FrameOffsets OffsetsOf(const FrameSpec& spec) {
  std::size_t l4 = spec.ipv6 ? 40 : 20 + spec.ipv4_options.size();
  for (const FrameSpec::Extension& extension : spec.extensions) l4 += extension.size;
  const std::size_t l3 = kEthernetBytes + kVlanTagBytes * spec.tags.size();
  const std::size_t l4_len = spec.protocol == IPPROTO_TCP   ? 20 + spec.tcp_options.size()
                             : spec.protocol == IPPROTO_UDP ? 8
                                                            : 0;
  return {.l3 = static_cast<uint16_t>(l3),
          .l4 = static_cast<uint16_t>(l3 + l4),
          .l4_len = static_cast<uint16_t>(l4_len)};
}

virtio_net_hdr VirtioNetHeaderOf(const FrameSpec& spec, uint16_t gso_size) {
  const FrameOffsets offsets = OffsetsOf(spec);
  virtio_net_hdr header = {};
  header.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
  header.csum_start = offsets.l4;
  header.csum_offset = static_cast<uint16_t>(ChecksumOffset(spec.protocol));
  if (gso_size == 0) return header;
  header.gso_type = spec.protocol == IPPROTO_UDP ? VIRTIO_NET_HDR_GSO_UDP_L4
                    : spec.ipv6                  ? VIRTIO_NET_HDR_GSO_TCPV6
                                                 : VIRTIO_NET_HDR_GSO_TCPV4;
  header.gso_size = gso_size;
  header.hdr_len = static_cast<uint16_t>(offsets.l4 + offsets.l4_len);
  return header;
}

std::string FindFrameError(std::span<const uint8_t> frame) {
  std::size_t l3 = kEthernetBytes;
  if (frame.size() < l3) return "Ethernet header cut short";
  uint32_t type = Get16(frame, 12);
  while (type == 0x8100 || type == 0x88a8) {
    l3 += kVlanTagBytes;
    if (frame.size() < l3) return "VLAN tag cut short";
    type = Get16(frame, l3 - 2);
  }
  if (type == 0x0800) return FindIpv4Error(frame.subspan(l3));
  if (type == 0x86dd) return FindIpv6Error(frame.subspan(l3));
  return "";
}

uint16_t PlainChecksum(std::span<const uint8_t> bytes, uint32_t sum) {
  sum += Sum(bytes);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

uint32_t PseudoHeaderSum(std::span<const uint8_t> l3, uint8_t protocol, uint32_t l4_bytes) {
  const bool ipv6 = l3[0] >> 4 == 6;
  const auto addresses = ipv6 ? l3.subspan(8, 32) : l3.subspan(12, 8);
  return Sum(addresses) + protocol + (l4_bytes >> 16) + (l4_bytes & 0xffff);
}

rte_mbuf* MakePacket(rte_mempool* pool, std::span<const uint8_t> bytes,
                     std::span<const uint16_t> sizes) {
  rte_mbuf* head = nullptr;
  rte_mbuf* tail = nullptr;
  std::size_t segment = 0;
  do {
    rte_mbuf* mbuf = rte_pktmbuf_alloc(pool);
    if (mbuf == nullptr) std::abort();
    const std::size_t size = segment < sizes.size()
                                 ? sizes[segment]
                                 : std::min<std::size_t>(bytes.size(), rte_pktmbuf_tailroom(mbuf));
    if (size > bytes.size() || size > rte_pktmbuf_tailroom(mbuf)) std::abort();
    if (size > 0) std::memcpy(rte_pktmbuf_mtod(mbuf, uint8_t*), bytes.data(), size);
    bytes = bytes.subspan(size);
    mbuf->data_len = static_cast<uint16_t>(size);
    if (head == nullptr) {
      head = mbuf;
    } else {
      tail->next = mbuf;
      ++head->nb_segs;
    }
    head->pkt_len += static_cast<uint32_t>(size);  // rte_pktmbuf_alloc has set it to 0.
    tail = mbuf;
    ++segment;
  } while (!bytes.empty() || segment < sizes.size());
  return head;
}

Bytes BytesOf(const rte_mbuf& packet) {
  Bytes bytes;
  for (const rte_mbuf* mbuf = &packet; mbuf != nullptr; mbuf = mbuf->next) {
    const auto* data = rte_pktmbuf_mtod(mbuf, const uint8_t*);
    bytes.insert(bytes.end(), data, data + mbuf->data_len);
  }
  return bytes;
}

}  // namespace wakegate::testing
