// Every frame arrives as it was sent, in order.
#include "tests/conformance/conformance_test.h"

namespace wakegate::testing {
namespace {

using DeliveryTest = PairTest;
INSTANTIATE_TEST_SUITE_P(Kinds, DeliveryTest, PairsOnceOpen(), KindName());

// A frame with VLAN tags, which begin behind the addresses.
Bytes TaggedFrame(const std::vector<VlanTag>& tags, std::size_t size, uint32_t seed) {
  Bytes frame = RandomFrame(size - 4 * tags.size(), seed);
  auto at = frame.begin() + 12;
  for (const VlanTag& tag : tags) {
    const uint8_t bytes[] = {static_cast<uint8_t>(tag.tpid >> 8), static_cast<uint8_t>(tag.tpid),
                             static_cast<uint8_t>(tag.tci >> 8), static_cast<uint8_t>(tag.tci)};
    at = frame.insert(at, std::begin(bytes), std::end(bytes)) + sizeof(bytes);
  }
  return frame;
}

// VLAN 100, priority 5, drop eligible.
constexpr VlanTag kTag = {0x8100, 0xb064};
constexpr VlanTag kServiceTag = {0x88a8, 0x2007};

TEST_P(DeliveryTest, FramesOfAllSizesPassBothWaysUnchangedAndInOrder) {
  TwoPorts ports(from(), to());
  constexpr std::size_t kLargest = 1514;
  constexpr std::size_t kWindow = 80;
  for (std::size_t first = 14; first <= kLargest; first += kWindow) {
    std::vector<Bytes> there;
    std::vector<Bytes> back;
    for (std::size_t size = first; size < first + kWindow && size <= kLargest; ++size) {
      there.push_back(RandomFrame(size, static_cast<uint32_t>(size)));
      back.push_back(RandomFrame(kLargest + 14 - size, static_cast<uint32_t>(size)));
    }
    ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.a(), ports.b(), there));
    ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.b(), ports.a(), back));
  }
  // A frame is there before it is counted.
  ports.gateway().ExpectBooksBalance();
  EXPECT_EQ(ports.gateway().Received("a"), 1501U);
  EXPECT_EQ(ports.gateway().Sent("a"), 1501U);
}

TEST_P(DeliveryTest, TaggedFramesKeepTheirTags) {
  TwoPorts ports(from(), to());
  std::vector<Bytes> frames;
  for (const std::size_t size : {60, 100, 1514, 1518}) {
    frames.push_back(TaggedFrame({kTag}, size, frames.size()));
    frames.push_back(TaggedFrame({{0x8100, 0}}, size, frames.size()));
    frames.push_back(TaggedFrame({kTag, {0x8100, 7}}, size, frames.size()));
  }
  // The kernel lets no packet socket send a longer one with this tag: it allows the 4 bytes beyond
  // the MTU for 802.1Q only (packet_extra_vlan_len_allowed).
  for (const std::size_t size : {60, 100, 1514}) {
    frames.push_back(TaggedFrame({kServiceTag, kTag}, size, frames.size()));
  }
  ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.a(), ports.b(), frames));
  ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.b(), ports.a(), frames));
}

TEST_P(DeliveryTest, TwoTagsFitWhereTheMtuHasRoomForOne) {
  TwoPorts ports(from(), to());
  for (const char* port : {"a", "b"}) ports.bed().settings(port).mtu = 1504;
  ports.a().SetMtu(1504);
  ports.b().SetMtu(1504);
  ports.bed().Apply();
  ExpectDelivered(ports.a(), ports.b(),
                  {TaggedFrame({kServiceTag, kTag}, 1518, 1), TaggedFrame({kTag, kTag}, 1522, 2)});
}

TEST_P(DeliveryTest, ThousandsOfFramesPassInOrder) {
  TwoPorts ports(from(), to(), {.workers = 2});
  for (uint32_t round = 0; round < 50; ++round) {
    std::vector<Bytes> frames;
    const std::size_t count = 1 + round * 37 % 100;
    for (uint32_t i = 0; i < count; ++i) {
      frames.push_back(RandomFrame(14 + (round * 577 + i * 131) % 1500, round * 100 + i));
    }
    ASSERT_NO_FATAL_FAILURE(ExpectDelivered(ports.a(), ports.b(), frames));
  }
}

}  // namespace
}  // namespace wakegate::testing
