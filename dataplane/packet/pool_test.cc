#include "dataplane/packet/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rte_malloc.h>

#include <vector>

#include "dataplane/testing/eal_for_test.h"

namespace wakegate {
namespace {

using ::testing::HasSubstr;

class PoolTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::StartEalForTest(); }
};

TEST_F(PoolTest, EachBufferHasHeadroomAndRoomForAWholeFrame) {
  auto pool = PacketPool::Create("room", 127, SOCKET_ID_ANY);
  ASSERT_TRUE(pool.ok()) << pool.status();
  rte_mbuf* packet = rte_pktmbuf_alloc(pool->get());
  ASSERT_NE(packet, nullptr);
  EXPECT_EQ(rte_pktmbuf_headroom(packet), RTE_PKTMBUF_HEADROOM);
  EXPECT_EQ(rte_pktmbuf_tailroom(packet), kDataRoomBytes);
  rte_pktmbuf_free(packet);
}

TEST_F(PoolTest, AllBuffersCanBeTakenAndComeBack) {
  auto pool = PacketPool::Create("all", 100, SOCKET_ID_ANY);
  ASSERT_TRUE(pool.ok()) << pool.status();
  EXPECT_EQ(pool->count(), 100U);
  std::vector<rte_mbuf*> packets(100);
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool->get(), packets.data(), 100), 0);
  EXPECT_EQ(pool->available(), 0U);
  EXPECT_EQ(rte_pktmbuf_alloc(pool->get()), nullptr);
  rte_pktmbuf_free_bulk(packets.data(), 100);
  EXPECT_EQ(pool->available(), 100U);
}

TEST_F(PoolTest, TooLittleMemoryIsSaidWithTheNeedAndTheRemedy) {
  const auto pool = PacketPool::Create("huge", 200'000, SOCKET_ID_ANY);
  EXPECT_EQ(pool.status().code(), absl::StatusCode::kResourceExhausted);
  const std::string text(pool.status().message());
  EXPECT_THAT(text, HasSubstr("packet pool huge: 200000 buffers, 452 MB, on NUMA node any"));
  EXPECT_THAT(text, HasSubstr("Cannot allocate memory; reserve hugepages"));
}

TEST_F(PoolTest, NeededMemoryIsWhatThePoolTakes) {
  constexpr uint32_t kCount = 8000;
  rte_malloc_socket_stats before;
  rte_malloc_get_socket_stats(0, &before);
  auto pool = PacketPool::Create("needed", kCount, SOCKET_ID_ANY);
  ASSERT_TRUE(pool.ok()) << pool.status();
  rte_malloc_socket_stats after;
  rte_malloc_get_socket_stats(0, &after);
  const double taken = static_cast<double>(after.heap_allocsz_bytes - before.heap_allocsz_bytes);
  // What each thread may keep for itself takes another megabyte, however many buffers there are.
  EXPECT_NEAR(taken, static_cast<double>(PacketPool::BytesNeeded(kCount)), 2 << 20);
}

TEST_F(PoolTest, NameInUseIsSaid) {
  const auto pool = PacketPool::Create("twice", 15, SOCKET_ID_ANY);
  ASSERT_TRUE(pool.ok()) << pool.status();
  const auto again = PacketPool::Create("twice", 15, SOCKET_ID_ANY);
  EXPECT_EQ(again.status().code(), absl::StatusCode::kAlreadyExists) << again.status();
}

TEST_F(PoolTest, NoBuffersAtAllIsRefused) {
  EXPECT_EQ(PacketPool::Create("none", 0, SOCKET_ID_ANY).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace wakegate
