#include "dataplane/packet/packet_from_bytes.h"

#include <gtest/gtest.h>

#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"

namespace wakegate {
namespace {

using testing::Bytes;
using testing::BytesOf;
using testing::Pattern;
using testing::PoolForTest;

TEST(PacketFromBytesTest, WhatFitsIsOneBuffer) {
  PoolForTest pool;
  for (const std::size_t size : {0, 14, 60, 2048}) {
    const Bytes bytes = Pattern(size);
    rte_mbuf* packet = PacketFromBytes(bytes, pool.get());
    ASSERT_NE(packet, nullptr);
    EXPECT_EQ(packet->nb_segs, 1);
    EXPECT_EQ(packet->ol_flags, 0U);
    EXPECT_EQ(BytesOf(*packet), bytes);
    rte_pktmbuf_free(packet);
  }
}

TEST(PacketFromBytesTest, TheRestFollowsInAChain) {
  PoolForTest pool;
  for (const std::size_t size :
       {std::size_t{2049}, std::size_t{4096}, std::size_t{kMaxPacketBytes}}) {
    const Bytes bytes = Pattern(size);
    rte_mbuf* packet = PacketFromBytes(bytes, pool.get());
    ASSERT_NE(packet, nullptr);
    EXPECT_EQ(packet->nb_segs, (size + 2047) / 2048);
    EXPECT_EQ(packet->pkt_len, size);
    const char* reason = "";
    EXPECT_EQ(rte_mbuf_check(packet, 1, &reason), 0) << reason;
    EXPECT_EQ(BytesOf(*packet), bytes);
    rte_pktmbuf_free(packet);
  }
}

TEST(PacketFromBytesTest, TakesNoBufferWhereThereAreTooFew) {
  PoolForTest pool(15);
  EXPECT_EQ(PacketFromBytes(Pattern(kMaxPacketBytes), pool.get()), nullptr);
  EXPECT_EQ(pool.available(), pool.count());
}

}  // namespace
}  // namespace wakegate
