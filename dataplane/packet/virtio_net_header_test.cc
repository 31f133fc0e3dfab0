#include "dataplane/packet/virtio_net_header.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "dataplane/packet/offload.h"
#include "dataplane/packet/segment.h"
#include "dataplane/testing/frames.h"
#include "dataplane/testing/heap_packet.h"

namespace wakegate {
namespace {

using testing::BuildFrame;
using testing::Bytes;
using testing::BytesOf;
using testing::FrameSpec;
using testing::HeapPacket;
using testing::OffsetsOf;
using testing::Pattern;
using testing::VirtioNetHeaderOf;

FrameSpec PartialSpec(bool ipv6, uint8_t protocol, std::size_t payload_bytes) {
  return {.ipv6 = ipv6,
          .protocol = protocol,
          .partial_checksum = true,
          .payload = Pattern(payload_bytes)};
}

// Expects that the header is refused and the packet is as it was.
void ExpectRefused(const virtio_net_hdr& header, const Bytes& frame) {
  HeapPacket packet(frame);
  packet.head().ol_flags = RTE_MBUF_F_INDIRECT;
  EXPECT_FALSE(ApplyVirtioNetHeader(header, packet.head()));
  EXPECT_EQ(packet.head().ol_flags, RTE_MBUF_F_INDIRECT);
  EXPECT_EQ(packet.head().tx_offload, 0U);
  EXPECT_EQ(BytesOf(packet.head()), frame);
}

TEST(VirtioNetHeaderTest, EmptyHeaderAsksForNothingOfAnyFrame) {
  for (const std::size_t size : {0, 1, 13, 14, 60, 1514}) {
    HeapPacket packet(Pattern(size));
    virtio_net_hdr header = {};
    header.hdr_len = 0xffff;  // Means nothing.
    header.flags = VIRTIO_NET_HDR_F_DATA_VALID;
    packet.head().ol_flags = RTE_MBUF_F_TX_TCP_CKSUM | RTE_MBUF_F_INDIRECT;
    EXPECT_TRUE(ApplyVirtioNetHeader(header, packet.head()));
    EXPECT_EQ(packet.head().ol_flags, RTE_MBUF_F_INDIRECT) << "what says how its memory is owned";
  }
}

TEST(VirtioNetHeaderTest, ChecksumRequestBecomesFlagsAndAHeaderAgain) {
  for (const bool ipv6 : {false, true}) {
    for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
      FrameSpec spec = PartialSpec(ipv6, protocol, 100);
      spec.tags = {{0x8100, 3}};
      const virtio_net_hdr header = VirtioNetHeaderOf(spec);
      HeapPacket packet(BuildFrame(spec), std::vector<uint16_t>{1, 20, 3});
      ASSERT_TRUE(ApplyVirtioNetHeader(header, packet.head()));
      const uint64_t flags =
          (protocol == IPPROTO_TCP ? RTE_MBUF_F_TX_TCP_CKSUM : RTE_MBUF_F_TX_UDP_CKSUM) |
          (ipv6 ? RTE_MBUF_F_TX_IPV6 : RTE_MBUF_F_TX_IPV4);
      EXPECT_EQ(packet.head().ol_flags, flags);
      EXPECT_EQ(packet.head().l2_len, 18);
      EXPECT_EQ(packet.head().l3_len, ipv6 ? 40 : 20);
      const virtio_net_hdr again = MakeVirtioNetHeader(packet.head());
      EXPECT_EQ(std::memcmp(&again, &header, sizeof(header)), 0);
    }
  }
}

TEST(VirtioNetHeaderTest, SegmentationRequestBecomesFlagsAndAHeaderAgain) {
  for (const bool ipv6 : {false, true}) {
    for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
      const FrameSpec spec = PartialSpec(ipv6, protocol, 5000);
      const virtio_net_hdr header = VirtioNetHeaderOf(spec, 1000);
      HeapPacket packet(BuildFrame(spec));
      ASSERT_TRUE(ApplyVirtioNetHeader(header, packet.head()));
      EXPECT_EQ(packet.head().ol_flags & kSegmentationFlags,
                protocol == IPPROTO_TCP ? RTE_MBUF_F_TX_TCP_SEG : RTE_MBUF_F_TX_UDP_SEG);
      EXPECT_EQ(packet.head().tso_segsz, 1000);
      EXPECT_EQ(CountSegments(packet.head()), 5U);
      const virtio_net_hdr again = MakeVirtioNetHeader(packet.head());
      EXPECT_EQ(std::memcmp(&again, &header, sizeof(header)), 0);
    }
  }
}

TEST(VirtioNetHeaderTest, EcnBitComesAndGoesWithTheCwrFlag) {
  FrameSpec spec = PartialSpec(false, IPPROTO_TCP, 5000);
  spec.tcp_flags = 0x80 | 0x10;
  virtio_net_hdr header = VirtioNetHeaderOf(spec, 1000);
  header.gso_type |= VIRTIO_NET_HDR_GSO_ECN;
  HeapPacket packet(BuildFrame(spec));
  ASSERT_TRUE(ApplyVirtioNetHeader(header, packet.head()));
  EXPECT_EQ(MakeVirtioNetHeader(packet.head()).gso_type, header.gso_type);

  const FrameSpec udp = PartialSpec(false, IPPROTO_UDP, 5000);
  header = VirtioNetHeaderOf(udp, 1000);
  header.gso_type |= VIRTIO_NET_HDR_GSO_ECN;
  ExpectRefused(header, BuildFrame(udp));
}

TEST(VirtioNetHeaderTest, SegmentationOfWhatIsOneSegmentIsOnlyAChecksum) {
  const FrameSpec spec = PartialSpec(true, IPPROTO_TCP, 1000);
  HeapPacket packet(BuildFrame(spec));
  ASSERT_TRUE(ApplyVirtioNetHeader(VirtioNetHeaderOf(spec, 1000), packet.head()));
  EXPECT_TRUE(HasOffload(packet.head()));
  EXPECT_FALSE(AsksForSegmentation(packet.head()));
}

// A UDP datagram of an inner frame, as in VXLAN, whose checksum is the one that is asked for.
TEST(VirtioNetHeaderTest, ChecksumWithinATunnelIsCompletedAtOnce) {
  const FrameSpec inner = PartialSpec(false, IPPROTO_TCP, 301);
  FrameSpec outer{.protocol = IPPROTO_UDP, .payload = Bytes(8)};  // VXLAN's own header.
  const Bytes inner_frame = BuildFrame(inner);
  outer.payload.insert(outer.payload.end(), inner_frame.begin(), inner_frame.end());
  const std::size_t inner_start = OffsetsOf(outer).l4 + 8U + 8U;
  virtio_net_hdr header = VirtioNetHeaderOf(inner);
  header.csum_start += inner_start;

  HeapPacket packet(BuildFrame(outer), std::vector<uint16_t>{100, 17});
  ASSERT_TRUE(ApplyVirtioNetHeader(header, packet.head()));
  EXPECT_FALSE(HasOffload(packet.head()));
  const Bytes bytes = BytesOf(packet.head());
  EXPECT_EQ(testing::FindFrameError(std::span(bytes).subspan(inner_start)), "");
}

TEST(VirtioNetHeaderTest, SctpGetsItsCrcAndNoInternetChecksum) {
  const FrameSpec spec{.protocol = IPPROTO_SCTP, .payload = Pattern(64)};
  Bytes frame = BuildFrame(spec);
  HeapPacket packet(frame);
  virtio_net_hdr header = {};
  header.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
  header.csum_start = 34;
  header.csum_offset = 8;
  ASSERT_TRUE(ApplyVirtioNetHeader(header, packet.head()));
  EXPECT_FALSE(HasOffload(packet.head()));
  const Bytes bytes = BytesOf(packet.head());
  // All four bytes of the field are new, where an Internet checksum has two (see checksum_test).
  for (int i = 42; i < 46; ++i) EXPECT_NE(bytes[i], frame[i]) << i;
}

TEST(VirtioNetHeaderTest, ChecksumOutsideThePacketOrInItsAddressesIsRefused) {
  const Bytes frame = BuildFrame(PartialSpec(false, IPPROTO_TCP, 10));
  virtio_net_hdr header = {};
  header.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
  for (const auto& [start, offset] : std::vector<std::pair<uint16_t, uint16_t>>{
           {65535, 65535}, {34, 65535}, {65535, 0}, {34, 29}, {63, 0}, {0, 0}, {13, 4}}) {
    header.csum_start = start;
    header.csum_offset = offset;
    ExpectRefused(header, frame);
  }
  header.csum_start = 34;
  header.csum_offset = 16;
  ExpectRefused(header, Bytes(13));
  ExpectRefused(header, {});
}

TEST(VirtioNetHeaderTest, SegmentationThatDoesNotFitTheFrameIsRefused) {
  const FrameSpec spec = PartialSpec(false, IPPROTO_TCP, 5000);
  const Bytes frame = BuildFrame(spec);
  const virtio_net_hdr good = VirtioNetHeaderOf(spec, 1000);
  const auto refuse = [&](auto change, const Bytes& bytes) {
    virtio_net_hdr header = good;
    change(header);
    ExpectRefused(header, bytes);
  };
  refuse([](virtio_net_hdr& h) { h.gso_size = 0; }, frame);
  refuse([](virtio_net_hdr& h) { h.gso_size = 4; }, frame);  // 1250 segments.
  refuse([](virtio_net_hdr& h) { h.flags = 0; }, frame);
  refuse([](virtio_net_hdr& h) { h.csum_start += 2; }, frame);
  refuse([](virtio_net_hdr& h) { h.csum_offset = 6; }, frame);
  refuse([](virtio_net_hdr& h) { h.gso_type = VIRTIO_NET_HDR_GSO_TCPV6; }, frame);
  refuse([](virtio_net_hdr& h) { h.gso_type = VIRTIO_NET_HDR_GSO_UDP_L4; }, frame);
  for (const uint8_t unknown : {2, 3, 6, 7, 0x40, 0x80, 0x83, 0xff}) {  // 3: fragmentation.
    refuse([unknown](virtio_net_hdr& h) { h.gso_type = unknown; }, frame);
  }
  refuse([](virtio_net_hdr& h) { h.gso_size = 0; }, BuildFrame(PartialSpec(false, IPPROTO_TCP, 0)));
  Bytes fragment = frame;
  fragment[20] |= 0x20;
  refuse([](virtio_net_hdr&) {}, fragment);
  refuse([](virtio_net_hdr&) {}, Bytes(frame.begin(), frame.begin() + 53));
}

TEST(VirtioNetHeaderTest, HeaderLengthIsNotLookedAt) {
  const FrameSpec spec = PartialSpec(false, IPPROTO_TCP, 5000);
  virtio_net_hdr header = VirtioNetHeaderOf(spec, 1000);
  for (const uint16_t length : {0, 1, 65535}) {
    header.hdr_len = length;
    HeapPacket packet(BuildFrame(spec));
    EXPECT_TRUE(ApplyVirtioNetHeader(header, packet.head()));
    EXPECT_EQ(MakeVirtioNetHeader(packet.head()).hdr_len, 54);
  }
}

// Under AddressSanitizer this is what shows a read or write out of bounds.
TEST(VirtioNetHeaderTest, RandomHeadersOnRandomFramesAreRefusedOrFit) {
  std::mt19937 random(1);
  int accepted = 0;
  for (int round = 0; round < 30'000; ++round) {
    FrameSpec spec = PartialSpec(random() % 2 == 0, random() % 2 == 0 ? IPPROTO_TCP : IPPROTO_UDP,
                                 random() % 3000);
    if (random() % 3 == 0) spec.tags = {{0x88a8, 1}, {0x8100, 2}};
    virtio_net_hdr header =
        VirtioNetHeaderOf(spec, static_cast<uint16_t>(random() % 2 == 0 ? 0 : random() % 1500));
    Bytes frame = BuildFrame(spec);
    if (random() % 4 == 0) frame.resize(random() % (frame.size() + 1));
    if (random() % 4 == 0 && !frame.empty()) {
      frame[random() % std::min<std::size_t>(frame.size(), 64)] = static_cast<uint8_t>(random());
    }
    for (uint32_t i = random() % 3; i > 0; --i) {
      reinterpret_cast<uint8_t*>(&header)[random() % sizeof(header)] =
          static_cast<uint8_t>(random());
    }
    std::vector<uint16_t> sizes;
    for (std::size_t left = frame.size(); random() % 4 != 0; left -= sizes.back()) {
      sizes.push_back(static_cast<uint16_t>(random() % (left + 1)));
    }
    HeapPacket packet(frame, sizes);
    if (!ApplyVirtioNetHeader(header, packet.head())) {
      ASSERT_EQ(BytesOf(packet.head()), frame);
      continue;
    }
    ++accepted;
    if (AsksForSegmentation(packet.head())) {
      ASSERT_GE(CountSegments(packet.head()), 2U);
    }
    MakeVirtioNetHeader(packet.head());
    ASSERT_EQ(packet.head().ol_flags & ~kOffloadFlags, 0U);
  }
  EXPECT_GT(accepted, 5000);
  EXPECT_LT(accepted, 25'000);
}

}  // namespace
}  // namespace wakegate
