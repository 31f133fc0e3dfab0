#include "dataplane/testing/frames.h"

#include <gtest/gtest.h>

#include "dataplane/testing/eal_for_test.h"

namespace wakegate::testing {
namespace {

// The bytes are those of RFC 1071's example in section 3: their sum is ddf2 (carries added).
TEST(FramesTest, PlainChecksumIsThatOfRfc1071) {
  const Bytes example = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(PlainChecksum(example), static_cast<uint16_t>(~0xddf2));
}

TEST(FramesTest, BuiltFramesAreRightAndAChangedByteIsNoticed) {
  for (const bool ipv6 : {false, true}) {
    for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
      FrameSpec spec{.tags = {{0x88a8, 5}, {0x8100, 0x6064}},
                     .ipv6 = ipv6,
                     .protocol = protocol,
                     .payload = Pattern(101)};
      if (ipv6) spec.extensions = {{IPPROTO_HOPOPTS}, {IPPROTO_DSTOPTS, 24}};
      if (!ipv6) spec.ipv4_options = Bytes(8, 1);
      Bytes frame = BuildFrame(spec);
      const FrameOffsets offsets = OffsetsOf(spec);
      EXPECT_EQ(FindFrameError(frame), "");
      EXPECT_EQ(frame.size(), offsets.l4 + offsets.l4_len + spec.payload.size());
      frame.back() ^= 1;
      EXPECT_EQ(FindFrameError(frame), "layer 4 checksum wrong");
      frame.resize(frame.size() - 1);
      EXPECT_EQ(FindFrameError(frame), ipv6 ? "IPv6 length wrong" : "IPv4 length wrong");
    }
  }
}

TEST(FramesTest, PacketHasTheShapeThatIsAskedForAndTheBytesOfTheFrame) {
  const PoolForTest pool;
  const Bytes bytes = Pattern(5000);
  const std::vector<uint16_t> sizes = {1, 0, 13};
  rte_mbuf* packet = MakePacket(pool.get(), bytes, sizes);
  EXPECT_EQ(packet->data_len, 1);
  EXPECT_EQ(packet->next->data_len, 0);
  EXPECT_EQ(packet->next->next->data_len, 13);
  EXPECT_EQ(packet->nb_segs, 6);
  EXPECT_EQ(packet->pkt_len, 5000U);
  EXPECT_EQ(BytesOf(*packet), bytes);
  rte_mbuf_sanity_check(packet, 1);
  rte_pktmbuf_free(packet);

  rte_mbuf* empty = MakePacket(pool.get(), {});
  EXPECT_EQ(empty->pkt_len, 0U);
  rte_pktmbuf_free(empty);
}

}  // namespace
}  // namespace wakegate::testing
