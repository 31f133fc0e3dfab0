#include "dataplane/packet/vlan.h"

#include <gtest/gtest.h>

#include <vector>

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

class VlanTest : public ::testing::Test {
 protected:
  testing::PoolForTest pool_;
};

TEST_F(VlanTest, TagComesBeforeThoseThatAreThere) {
  const FrameSpec spec{.payload = testing::Pattern(64)};
  FrameSpec tagged = spec;
  for (const std::vector<uint16_t>& sizes :
       {std::vector<uint16_t>{}, std::vector<uint16_t>{5, 4}}) {
    rte_mbuf* packet = MakePacket(pool_.get(), BuildFrame(spec), sizes);
    // Vid 100, priority 5, DEI: case 2 of what broke for others.
    ASSERT_TRUE(InsertVlanTag(*packet, 0x8100, 5 << 13 | 1 << 12 | 100));
    tagged.tags = {{0x8100, 5 << 13 | 1 << 12 | 100}};
    EXPECT_EQ(BytesOf(*packet), BuildFrame(tagged));
    EXPECT_EQ(packet->l2_len, 0) << "means nothing without an offload";
    ASSERT_TRUE(InsertVlanTag(*packet, 0x88a8, 7));
    tagged.tags.insert(tagged.tags.begin(), {0x88a8, 7});
    EXPECT_EQ(BytesOf(*packet), BuildFrame(tagged));
    rte_mbuf_sanity_check(packet, 1);
    rte_pktmbuf_free(packet);
  }
}

TEST_F(VlanTest, RequestForAChecksumMovesAlong) {
  FrameSpec spec{.partial_checksum = true, .payload = testing::Pattern(64)};
  rte_mbuf* packet = MakePacket(pool_.get(), BuildFrame(spec));
  ASSERT_TRUE(ApplyVirtioNetHeader(testing::VirtioNetHeaderOf(spec), *packet));
  ASSERT_TRUE(InsertVlanTag(*packet, 0x8100, 1));
  spec.tags = {{0x8100, 1}};
  EXPECT_EQ(MakeVirtioNetHeader(*packet).csum_start, testing::OffsetsOf(spec).l4);
  rte_pktmbuf_free(packet);
}

TEST_F(VlanTest, RuntAndLackOfHeadroomAreRefusedAndNothingChanges) {
  const Bytes bytes = testing::Pattern(14);
  rte_mbuf* runt = MakePacket(pool_.get(), std::span(bytes).first(13));
  EXPECT_FALSE(InsertVlanTag(*runt, 0x8100, 1));
  EXPECT_EQ(runt->pkt_len, 13U);
  rte_pktmbuf_free(runt);

  rte_mbuf* packet = MakePacket(pool_.get(), bytes);
  ASSERT_NE(rte_pktmbuf_prepend(packet, RTE_PKTMBUF_HEADROOM - 3), nullptr);
  const Bytes before = BytesOf(*packet);
  EXPECT_FALSE(InsertVlanTag(*packet, 0x8100, 1));
  EXPECT_EQ(BytesOf(*packet), before);
  rte_pktmbuf_free(packet);
}

}  // namespace
}  // namespace wakegate
