#include "dataplane/packet/segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "dataplane/packet/offload.h"
#include "dataplane/packet/virtio_net_header.h"
#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"

namespace wakegate {
namespace {

using testing::BuildFrame;
using testing::Bytes;
using testing::BytesOf;
using testing::FrameSpec;
using testing::MakePacket;
using testing::Pattern;

constexpr uint8_t kFin = 0x01;
constexpr uint8_t kPsh = 0x08;
constexpr uint8_t kAck = 0x10;
constexpr uint8_t kCwr = 0x80;

// The frames that a sender would have sent that cuts the payload itself.
std::vector<Bytes> ExpectedSegments(const FrameSpec& spec, uint16_t gso_size) {
  std::vector<Bytes> frames;
  for (std::size_t at = 0; at < spec.payload.size(); at += gso_size) {
    FrameSpec segment = spec;
    segment.partial_checksum = false;
    const std::size_t end = std::min(at + gso_size, spec.payload.size());
    segment.payload.assign(spec.payload.begin() + at, spec.payload.begin() + end);
    segment.ip_id = static_cast<uint16_t>(spec.ip_id + at / gso_size);
    segment.tcp_sequence = static_cast<uint32_t>(spec.tcp_sequence + at);
    if (end < spec.payload.size()) segment.tcp_flags &= static_cast<uint8_t>(~(kFin | kPsh));
    if (at > 0) segment.tcp_flags &= static_cast<uint8_t>(~kCwr);
    frames.push_back(BuildFrame(segment));
  }
  return frames;
}

class SegmentTest : public ::testing::Test {
 protected:
  rte_mbuf* MakeSuperFrame(const FrameSpec& spec, uint16_t gso_size,
                           std::span<const uint16_t> sizes = {}) {
    FrameSpec partial = spec;
    partial.partial_checksum = true;
    rte_mbuf* packet = MakePacket(pool_.get(), BuildFrame(partial), sizes);
    EXPECT_TRUE(ApplyVirtioNetHeader(testing::VirtioNetHeaderOf(spec, gso_size), *packet));
    EXPECT_TRUE(AsksForSegmentation(*packet));
    return packet;
  }

  // Cuts the frame, and holds the segments against ExpectedSegments and the checksum rules.
  void ExpectCutsRight(const FrameSpec& spec, uint16_t gso_size,
                       std::span<const uint16_t> sizes = {}) {
    const std::vector<Bytes> expected = ExpectedSegments(spec, gso_size);
    rte_mbuf* packet = MakeSuperFrame(spec, gso_size, sizes);
    const Bytes before = BytesOf(*packet);
    ASSERT_EQ(CountSegments(*packet), expected.size());
    ASSERT_EQ(LargestSegmentBytes(*packet), expected[0].size());
    std::vector<rte_mbuf*> segments(expected.size());
    ASSERT_TRUE(Segment(*packet, pool_.get(), segments));
    for (std::size_t i = 0; i < segments.size(); ++i) {
      rte_mbuf_sanity_check(segments[i], 1);
      EXPECT_FALSE(HasOffload(*segments[i]));
      const Bytes bytes = BytesOf(*segments[i]);
      EXPECT_EQ(testing::FindFrameError(bytes), "") << "segment " << i;
      EXPECT_EQ(bytes, expected[i]) << "segment " << i;
    }
    EXPECT_EQ(BytesOf(*packet), before) << "the packet itself is only read";
    rte_pktmbuf_free(packet);
    rte_pktmbuf_free_bulk(segments.data(), static_cast<unsigned>(segments.size()));
  }

  testing::PoolForTest pool_{2047};
};

TEST_F(SegmentTest, TcpOf64KilobytesIsCutAsItsSenderWould) {
  for (const bool ipv6 : {false, true}) {
    ExpectCutsRight({.ipv6 = ipv6,
                     .ip_id = 0xfffe,              // Wraps around.
                     .tcp_sequence = 0xffffff00U,  // Likewise.
                     .tcp_flags = kAck | kPsh | kFin | kCwr,
                     .tcp_options = Bytes(12, 1),
                     .payload = Pattern(65'000)},
                    ipv6 ? 1428 : 1448);
  }
}

TEST_F(SegmentTest, UdpIsCutIntoDatagrams) {
  for (const bool ipv6 : {false, true}) {
    ExpectCutsRight({.ipv6 = ipv6, .protocol = IPPROTO_UDP, .payload = Pattern(30'001)}, 1400);
  }
}

TEST_F(SegmentTest, TagsOptionsAndExtensionHeadersAreInEachSegment) {
  ExpectCutsRight({.tags = {{0x88a8, 5}, {0x8100, 0xb064}},
                   .ipv4_options = Bytes(16, 1),
                   .payload = Pattern(4000)},
                  1000);
  ExpectCutsRight({.tags = {{0x8100, 1}},
                   .ipv6 = true,
                   .protocol = IPPROTO_UDP,
                   .extensions = {{IPPROTO_HOPOPTS}, {IPPROTO_DSTOPTS, 40}},
                   .payload = Pattern(4000)},
                  1000);
}

TEST_F(SegmentTest, AnySizeAndShapeIsCutRight) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    FrameSpec spec{.ipv6 = random() % 2 == 0,
                   .protocol = random() % 2 == 0 ? uint8_t{IPPROTO_TCP} : uint8_t{IPPROTO_UDP},
                   .ip_id = static_cast<uint16_t>(random()),
                   .tcp_sequence = static_cast<uint32_t>(random()),
                   .tcp_flags = static_cast<uint8_t>(random()),
                   .payload = Pattern(2 + random() % 10'000, random())};
    if (random() % 2 == 0) spec.tags = {{0x8100, 7}};
    const uint32_t smallest = static_cast<uint32_t>(spec.payload.size()) / kMaxSegments + 1;
    const auto gso_size = static_cast<uint16_t>(
        smallest + random() % std::min<std::size_t>(1900, spec.payload.size() - smallest));
    std::vector<uint16_t> sizes;
    std::size_t left = BuildFrame(spec).size();
    while (random() % 6 != 0) {
      sizes.push_back(static_cast<uint16_t>(random() % std::min<std::size_t>(left + 1, 2000)));
      left -= sizes.back();
    }
    ExpectCutsRight(spec, gso_size, sizes);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST_F(SegmentTest, SegmentLargerThanABufferIsAChain) {
  ExpectCutsRight({.payload = Pattern(40'000)}, 8948);
}

TEST_F(SegmentTest, BufferShortageLeavesNoSegments) {
  rte_mbuf* packet = MakeSuperFrame({.payload = Pattern(20'000)}, 1000);
  const uint32_t available = pool_.available();
  std::vector<rte_mbuf*> others(available - 19);
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool_.get(), others.data(), others.size()), 0);
  std::vector<rte_mbuf*> segments(20);
  EXPECT_FALSE(Segment(*packet, pool_.get(), segments));
  EXPECT_EQ(pool_.available(), 19U);
  rte_pktmbuf_free_bulk(others.data(), others.size());
  rte_pktmbuf_free(packet);
}

TEST_F(SegmentTest, ShortageInTheMiddleOfAChainLeavesNoSegments) {
  rte_mbuf* packet = MakeSuperFrame({.payload = Pattern(20'000)}, 8000);
  std::vector<rte_mbuf*> others(pool_.available() - 6);
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool_.get(), others.data(), others.size()), 0);
  std::vector<rte_mbuf*> segments(3);
  EXPECT_FALSE(Segment(*packet, pool_.get(), segments));
  EXPECT_EQ(pool_.available(), 6U);
  rte_pktmbuf_free_bulk(others.data(), others.size());
  rte_pktmbuf_free(packet);
}

TEST_F(SegmentTest, RequestThatDoesNotFitThePacketIsNone) {
  rte_mbuf* packet = MakeSuperFrame({.payload = Pattern(3000)}, 1000);
  const rte_mbuf good = *packet;
  const auto count_after = [&](auto change) {
    *packet = good;
    change(*packet);
    const uint32_t count = CountSegments(*packet);
    *packet = good;
    return count;
  };
  EXPECT_EQ(count_after([](rte_mbuf&) {}), 3U);
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.tso_segsz = 0; }), 0U);
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.tso_segsz = 2; }), 0U) << "too many";
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.tso_segsz = 3; }), 1000U);
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.l2_len = 13; }), 0U);
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.l3_len = 19; }), 0U);
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.l4_len = 19; }), 0U);
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.pkt_len = 54; }), 0U) << "no payload";
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.pkt_len = 66'000; }), 0U) << "no IP packet";
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.ol_flags &= ~RTE_MBUF_F_TX_IPV4; }), 0U);
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.ol_flags |= RTE_MBUF_F_TX_IPV6; }), 0U);
  EXPECT_EQ(count_after([](rte_mbuf& p) { p.ol_flags |= RTE_MBUF_F_TX_UDP_SEG; }), 0U);
  rte_pktmbuf_free(packet);
}

}  // namespace
}  // namespace wakegate
