#include "dataplane/ports/ethdev/received.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>
#include <vector>

#include "dataplane/packet/checksum.h"
#include "dataplane/packet/offload.h"
#include "dataplane/packet/segment.h"
#include "dataplane/ports/ethdev/pseudo_header.h"
#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using testing::Bytes;
using testing::FrameSpec;

class ReceivedTest : public ::testing::Test {
 protected:
  rte_mbuf* Make(const FrameSpec& spec) {
    return testing::MakePacket(pool_.get(), testing::BuildFrame(spec));
  }
  static std::vector<FrameSpec> Specs(uint8_t protocol) {
    std::vector<FrameSpec> specs;
    for (const bool ipv6 : {false, true}) {
      for (const std::vector<testing::VlanTag>& tags :
           {std::vector<testing::VlanTag>{}, std::vector<testing::VlanTag>{{0x8100, 100}}}) {
        specs.push_back(
            {.tags = tags, .ipv6 = ipv6, .protocol = protocol, .payload = testing::Pattern(1001)});
      }
    }
    return specs;
  }

  bool Normalize(rte_mbuf& packet) { return NormalizeReceived(packet, reason_); }

  testing::PoolForTest pool_;
  DropReason reason_{};
};

TEST_F(ReceivedTest, FlagsOfOthersMeanNothingHere) {
  rte_mbuf* packet = Make({});
  packet->ol_flags = RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_BAD |
                     RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_TCP_CKSUM;
  EXPECT_TRUE(Normalize(*packet));
  EXPECT_EQ(packet->ol_flags, 0U);
  packet->ol_flags = RTE_MBUF_F_EXTERNAL | RTE_MBUF_F_RX_VLAN;
  EXPECT_TRUE(Normalize(*packet));
  EXPECT_EQ(packet->ol_flags, RTE_MBUF_F_EXTERNAL) << "how the buffer is attached stays";
  packet->ol_flags = 0;
  rte_pktmbuf_free(packet);
}

// The field may hold anything.
TEST_F(ReceivedTest, AChecksumThatIsLeftToUsBecomesARequest) {
  for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
    for (const FrameSpec& spec : Specs(protocol)) {
      rte_mbuf* packet = Make(spec);
      const Bytes whole = testing::BytesOf(*packet);
      const uint32_t field = testing::OffsetsOf(spec).l4 + (protocol == IPPROTO_TCP ? 16 : 6);
      *rte_pktmbuf_mtod_offset(packet, uint16_t*, field) = 0xdead;
      packet->ol_flags = RTE_MBUF_F_RX_L4_CKSUM_NONE;
      ASSERT_TRUE(Normalize(*packet));
      EXPECT_NE(packet->ol_flags & RTE_MBUF_F_TX_L4_MASK, 0U);
      ASSERT_TRUE(CompleteRequestedChecksum(*packet));
      EXPECT_EQ(testing::BytesOf(*packet), whole);
      rte_pktmbuf_free(packet);
    }
  }
}

TEST_F(ReceivedTest, WhatWasMergedAsksForSegmentation) {
  for (const FrameSpec& spec : Specs(IPPROTO_TCP)) {
    rte_mbuf* packet = Make(spec);
    packet->ol_flags = RTE_MBUF_F_RX_LRO | RTE_MBUF_F_RX_L4_CKSUM_GOOD;
    packet->tso_segsz = 500;
    ASSERT_TRUE(Normalize(*packet));
    EXPECT_TRUE(AsksForSegmentation(*packet));
    ASSERT_EQ(CountSegments(*packet), 3U);
    rte_mbuf* segments[3];
    ASSERT_TRUE(Segment(*packet, pool_.get(), segments));
    for (rte_mbuf* segment : segments) {
      if (HasOffload(*segment)) CompleteRequestedChecksum(*segment);
      EXPECT_EQ(testing::FindFrameError(testing::BytesOf(*segment)), "");
    }
    rte_pktmbuf_free_bulk(segments, 3);
    rte_pktmbuf_free(packet);
  }
}

TEST_F(ReceivedTest, WhatCannotBeARequestIsDroppedByName) {
  rte_mbuf* packet = Make({.protocol = IPPROTO_ICMP, .payload = testing::Pattern(100)});
  packet->ol_flags = RTE_MBUF_F_RX_L4_CKSUM_NONE;
  EXPECT_FALSE(Normalize(*packet));
  EXPECT_EQ(reason_, DropReason::kBadOffload);
  rte_pktmbuf_free(packet);
  packet = Make({.payload = testing::Pattern(1000)});
  packet->ol_flags = RTE_MBUF_F_RX_LRO;
  packet->tso_segsz = 0;
  EXPECT_FALSE(Normalize(*packet));
  EXPECT_EQ(reason_, DropReason::kBadOffload);
  rte_pktmbuf_free(packet);
}

TEST_F(ReceivedTest, TagsThatWereTakenOutAreInAgain) {
  rte_mbuf* packet = Make({.payload = testing::Pattern(100)});
  packet->ol_flags = RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ |
                     RTE_MBUF_F_RX_QINQ_STRIPPED;
  packet->vlan_tci = 100;
  packet->vlan_tci_outer = 3 << 13 | 200;
  ASSERT_TRUE(Normalize(*packet));
  EXPECT_EQ(testing::BytesOf(*packet),
            testing::BuildFrame({.tags = {{0x88a8, 3 << 13 | 200}, {0x8100, 100}},
                                 .payload = testing::Pattern(100)}));
  rte_pktmbuf_free(packet);
}

// DPDK wants the sum without the length, and the IPv4 checksum left to the device.
TEST_F(ReceivedTest, SegmentationIsAskedOfADeviceInItsOwnForm) {
  for (const FrameSpec& spec : Specs(IPPROTO_TCP)) {
    rte_mbuf* packet = Make(spec);
    packet->ol_flags = RTE_MBUF_F_RX_LRO;
    packet->tso_segsz = 500;
    ASSERT_TRUE(Normalize(*packet));
    for (int twice = 0; twice < 2; ++twice) {
      ASSERT_TRUE(PrepareSegmentation(*packet, /*ipv4_checksum=*/twice == 0));
      const testing::FrameOffsets offsets = testing::OffsetsOf(spec);
      const Bytes frame = testing::BytesOf(*packet);
      uint16_t sum;
      std::memcpy(&sum, &frame[offsets.l4 + kTcpChecksumOffset], sizeof(sum));
      const uint32_t wanted = testing::PseudoHeaderSum(std::span(frame).subspan(offsets.l3),
                                                       IPPROTO_TCP, /*l4_bytes=*/0);
      EXPECT_EQ(ntohs(sum), FoldSum(wanted));
      if (spec.ipv6) continue;
      EXPECT_NE(packet->ol_flags & RTE_MBUF_F_TX_IP_CKSUM, 0U);
      EXPECT_EQ(frame[offsets.l3 + 10] + frame[offsets.l3 + 11], 0);
    }
    rte_pktmbuf_free(packet);
  }
}

}  // namespace
}  // namespace wakegate
