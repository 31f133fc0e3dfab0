#include "dataplane/packet/linearize.h"

#include <gtest/gtest.h>

#include <vector>

#include "dataplane/packet/pool.h"
#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"

namespace wakegate {
namespace {

using testing::Bytes;
using testing::BytesOf;
using testing::MakePacket;

class LinearizeTest : public ::testing::Test {
 protected:
  // A chain with offload flags, of these sizes and one more mbuf for the rest.
  rte_mbuf* MakeChain(const Bytes& bytes, const std::vector<uint16_t>& sizes) {
    rte_mbuf* packet = MakePacket(pool_.get(), bytes, sizes);
    packet->ol_flags = RTE_MBUF_F_TX_TCP_CKSUM | RTE_MBUF_F_TX_IPV4;
    packet->l2_len = 14;
    packet->l3_len = 20;
    return packet;
  }
  // A chain that fits one buffer, but not its first mbuf, whose data begin late.
  rte_mbuf* MakeCrowdedChain() {
    rte_mbuf* packet = MakeChain(testing::Pattern(2200), {1000});
    rte_pktmbuf_adj(packet, 200);
    return packet;
  }
  static void ExpectOneMbuf(const rte_mbuf& packet, const Bytes& bytes) {
    EXPECT_EQ(packet.nb_segs, 1);
    EXPECT_EQ(packet.next, nullptr);
    EXPECT_EQ(packet.data_len, bytes.size());
    EXPECT_EQ(BytesOf(packet), bytes);
    EXPECT_EQ(packet.ol_flags, RTE_MBUF_F_TX_TCP_CKSUM | RTE_MBUF_F_TX_IPV4);
    EXPECT_EQ(packet.l3_len, 20);
    rte_mbuf_sanity_check(&packet, 1);
  }

  testing::PoolForTest pool_{7};
};

TEST_F(LinearizeTest, ChainThatFitsItsFirstMbufNeedsNoOther) {
  const Bytes bytes = testing::Pattern(1514);
  rte_mbuf* packet = MakeChain(bytes, {1, 0, 100, 900});
  rte_mbuf* whole = Linearize(packet, pool_.get());
  EXPECT_EQ(whole, packet);
  ExpectOneMbuf(*whole, bytes);
  EXPECT_EQ(pool_.available(), pool_.count() - 1);
  rte_pktmbuf_free(whole);
}

TEST_F(LinearizeTest, ChainWhoseFirstMbufHasNoRoomIsCopied) {
  rte_mbuf* packet = MakeCrowdedChain();
  const Bytes bytes = BytesOf(*packet);
  rte_mbuf* whole = Linearize(packet, pool_.get());
  ASSERT_NE(whole, nullptr);
  EXPECT_NE(whole, packet);
  ExpectOneMbuf(*whole, bytes);
  rte_pktmbuf_free(whole);
}

TEST_F(LinearizeTest, ChainWhoseFirstMbufIsSharedIsCopied) {
  const Bytes bytes = testing::Pattern(1000);
  rte_mbuf* shared = MakeChain(bytes, {100});
  rte_mbuf_refcnt_update(shared, 1);
  rte_mbuf* whole = Linearize(shared, pool_.get());
  ASSERT_NE(whole, nullptr);
  EXPECT_NE(whole, shared);
  ExpectOneMbuf(*whole, bytes);
  EXPECT_EQ(shared->data_len, 100) << "the other owner's bytes";
  rte_pktmbuf_free(whole);
  rte_pktmbuf_free_seg(shared);
}

TEST_F(LinearizeTest, WithoutABufferTheChainIsAsItWas) {
  rte_mbuf* packet = MakeCrowdedChain();
  const Bytes bytes = BytesOf(*packet);
  std::vector<rte_mbuf*> others(pool_.available());
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool_.get(), others.data(), others.size()), 0);
  EXPECT_EQ(Linearize(packet, pool_.get()), nullptr);
  EXPECT_EQ(packet->nb_segs, 2);
  EXPECT_EQ(BytesOf(*packet), bytes);
  rte_pktmbuf_free_bulk(others.data(), others.size());
  rte_pktmbuf_free(packet);
}

TEST_F(LinearizeTest, OneBufferHoldsItsDataRoomAndNoMore) {
  EXPECT_TRUE(FitsOneBuffer(kDataRoomBytes, pool_.get()));
  EXPECT_FALSE(FitsOneBuffer(kDataRoomBytes + 1, pool_.get()));
}

}  // namespace
}  // namespace wakegate
