#include "dataplane/packet/headers.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "dataplane/testing/frames.h"
#include "dataplane/testing/heap_packet.h"

namespace wakegate {
namespace {

using testing::BuildFrame;
using testing::Bytes;
using testing::FrameOffsets;
using testing::FrameSpec;
using testing::HeapPacket;
using testing::OffsetsOf;
using testing::Pattern;

// Frames of every kind that is looked through, with what the parser is to say of them.
std::vector<FrameSpec> AllKinds() {
  std::vector<FrameSpec> specs;
  const std::vector<std::vector<testing::VlanTag>> tag_stacks = {
      {}, {{0x8100, 100}}, {{0x88a8, 5}}, {{0x88a8, 5}, {0x8100, 6}}, {{0x8100, 5}, {0x8100, 6}}};
  for (const auto& tags : tag_stacks) {
    for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP}) {
      FrameSpec spec{.tags = tags, .protocol = protocol, .payload = Pattern(5)};
      specs.push_back(spec);
      spec.ipv4_options = Bytes(40, 1);
      spec.tcp_options = Bytes(12, 1);
      specs.push_back(spec);
      spec.ipv4_options = {};
      spec.ipv6 = true;
      specs.push_back(spec);
      spec.extensions = {{IPPROTO_HOPOPTS}, {IPPROTO_ROUTING, 24}, {IPPROTO_DSTOPTS, 64}};
      specs.push_back(spec);
    }
  }
  return specs;
}

void ExpectHeadersOf(const FrameSpec& spec, const Headers& headers) {
  const FrameOffsets offsets = OffsetsOf(spec);
  EXPECT_EQ(headers.l2_len, offsets.l3);
  EXPECT_EQ(headers.l3_len, offsets.l4 - offsets.l3);
  EXPECT_EQ(headers.l4_len, offsets.l4_len);
  EXPECT_EQ(headers.ip_version, spec.ipv6 ? 6 : 4);
  EXPECT_EQ(headers.l4_protocol, spec.protocol);
}

TEST(HeadersTest, EveryKindIsFound) {
  for (const FrameSpec& spec : AllKinds()) {
    HeapPacket packet(BuildFrame(spec));
    ExpectHeadersOf(spec, ParseHeaders(packet.head()));
  }
}

TEST(HeadersTest, HeadersSplitIntoOneByteMbufsAreFound) {
  for (const FrameSpec& spec : AllKinds()) {
    const Bytes frame = BuildFrame(spec);
    std::vector<uint16_t> sizes(frame.size(), 1);
    sizes.insert(sizes.begin() + 12, 0);  // And an empty one in between.
    HeapPacket packet(frame, sizes);
    ExpectHeadersOf(spec, ParseHeaders(packet.head()));
  }
}

TEST(HeadersTest, FrameCutAnywhereHasOnlyTheLayersThatAreWhole) {
  for (const FrameSpec& spec : AllKinds()) {
    const FrameOffsets offsets = OffsetsOf(spec);
    const Bytes frame = BuildFrame(spec);
    for (std::size_t size = 0; size < frame.size(); ++size) {
      HeapPacket packet(Bytes(frame.begin(), frame.begin() + size));
      const Headers headers = ParseHeaders(packet.head());
      EXPECT_EQ(headers.l2_len == 0, size < kEthernetBytes) << size;
      EXPECT_LE(headers.l2_len, size);
      EXPECT_EQ(headers.l3_len, size < offsets.l4 ? 0U : offsets.l4 - offsets.l3) << size;
      EXPECT_EQ(headers.l4_len, size < offsets.l4 + offsets.l4_len ? 0U : offsets.l4_len) << size;
    }
  }
}

TEST(HeadersTest, FragmentHasNoLayer4) {
  Bytes frame = BuildFrame({.protocol = IPPROTO_UDP, .payload = Pattern(64)});
  frame[20] = 0x20;  // More fragments.
  EXPECT_EQ(ParseHeaders(HeapPacket(frame).head()).l4_len, 0U);
  EXPECT_EQ(ParseHeaders(HeapPacket(frame).head()).l3_len, 20U);
  frame[20] = 0;
  frame[21] = 8;  // A later one.
  EXPECT_EQ(ParseHeaders(HeapPacket(frame).head()).l4_len, 0U);
  frame[20] = 0x40;  // Whole, and not to be fragmented.
  frame[21] = 0;
  EXPECT_EQ(ParseHeaders(HeapPacket(frame).head()).l4_len, 8U);

  const FrameSpec ipv6{.ipv6 = true, .protocol = IPPROTO_UDP, .extensions = {{IPPROTO_DSTOPTS}}};
  frame = BuildFrame(ipv6);
  frame[20] = IPPROTO_FRAGMENT;
  const Headers headers = ParseHeaders(HeapPacket(frame).head());
  EXPECT_EQ(headers.l3_len, 40U);
  EXPECT_EQ(headers.l4_len, 0U);
}

TEST(HeadersTest, LyingLengthsAreNotBelieved) {
  const Bytes ipv4 = BuildFrame({.payload = Pattern(10)});
  Bytes frame = ipv4;
  frame[14] = 0x44;  // 16 bytes of IPv4 header.
  EXPECT_EQ(ParseHeaders(HeapPacket(frame).head()).l3_len, 0U);
  frame[14] = 0x65;  // Version 6 behind IPv4's EtherType.
  EXPECT_EQ(ParseHeaders(HeapPacket(frame).head()).l3_len, 0U);
  frame = ipv4;
  frame[46] = 0x40;  // 16 bytes of TCP header.
  EXPECT_EQ(ParseHeaders(HeapPacket(frame).head()).l4_len, 0U);
  frame[46] = 0xf0;  // 60 bytes of it, where 30 are left.
  EXPECT_EQ(ParseHeaders(HeapPacket(frame).head()).l4_len, 0U);
  EXPECT_EQ(ParseHeaders(HeapPacket(frame).head()).l3_len, 20U);
}

TEST(HeadersTest, ExtensionHeadersAreFollowedWithinTheBoundOnly) {
  FrameSpec spec{.ipv6 = true};
  spec.extensions.assign(kMaxExtensionHeaders, {IPPROTO_DSTOPTS});
  EXPECT_EQ(ParseHeaders(HeapPacket(BuildFrame(spec)).head()).l4_len, 20U);
  spec.extensions.push_back({IPPROTO_DSTOPTS});
  EXPECT_EQ(ParseHeaders(HeapPacket(BuildFrame(spec)).head()).l3_len, 0U);
  spec.extensions = {{IPPROTO_DSTOPTS, 464}};  // 504 bytes with IPv6's own: an mbuf can say it.
  EXPECT_EQ(ParseHeaders(HeapPacket(BuildFrame(spec)).head()).l4_len, 20U);
  spec.extensions = {{IPPROTO_DSTOPTS, 472}};  // 512: it cannot.
  EXPECT_EQ(ParseHeaders(HeapPacket(BuildFrame(spec)).head()).l3_len, 0U);
}

// Under AddressSanitizer this is what shows a read out of bounds.
TEST(HeadersTest, RandomDamageYieldsLengthsWithinThePacket) {
  std::mt19937 random(1);
  const std::vector<FrameSpec> kinds = AllKinds();
  for (int round = 0; round < 20'000; ++round) {
    Bytes frame = BuildFrame(kinds[random() % kinds.size()]);
    for (uint32_t i = random() % 4; i > 0; --i) {
      frame[random() % frame.size()] = static_cast<uint8_t>(random());
    }
    frame.resize(random() % (frame.size() + 1));
    std::vector<uint16_t> sizes;
    for (std::size_t left = frame.size(); left > 0 && random() % 4 != 0;) {
      sizes.push_back(static_cast<uint16_t>(random() % (left + 1)));
      left -= sizes.back();
    }
    HeapPacket packet(frame, sizes);
    const Headers headers = ParseHeaders(packet.head());
    ASSERT_LE(headers.l2_len + headers.l3_len + headers.l4_len, frame.size());
    ASSERT_LE(headers.l3_len, kMaxLayer3Bytes);
  }
}

}  // namespace
}  // namespace wakegate
