#include "dataplane/packet/checksum.h"

#include <gtest/gtest.h>

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
using testing::OffsetsOf;
using testing::Pattern;

class ChecksumTest : public ::testing::Test {
 protected:
  // The frame after its checksum was requested and completed, split as `sizes` says.
  Bytes Complete(const FrameSpec& spec, std::span<const uint16_t> sizes = {}) {
    FrameSpec partial = spec;
    partial.partial_checksum = true;
    rte_mbuf* packet = MakePacket(pool_.get(), BuildFrame(partial), sizes);
    EXPECT_TRUE(ApplyVirtioNetHeader(testing::VirtioNetHeaderOf(partial), *packet));
    EXPECT_TRUE(HasOffload(*packet));
    EXPECT_TRUE(CompleteRequestedChecksum(*packet));
    EXPECT_EQ(packet->ol_flags, 0U);
    Bytes bytes = BytesOf(*packet);
    rte_pktmbuf_free(packet);
    return bytes;
  }

  testing::PoolForTest pool_;
};

TEST_F(ChecksumTest, CompletedFrameIsThatOfASenderThatComputedItItself) {
  std::mt19937 random(1);
  for (int round = 0; round < 2'000; ++round) {
    FrameSpec spec{.ipv6 = random() % 2 == 0,
                   .protocol = random() % 2 == 0 ? uint8_t{IPPROTO_TCP} : uint8_t{IPPROTO_UDP},
                   .payload = Pattern(random() % 3000, random())};
    if (random() % 2 == 0) spec.tags = {{0x8100, 7}};
    if (spec.ipv6 && random() % 2 == 0) spec.extensions = {{IPPROTO_HOPOPTS}};
    // Splits at odd places too: rte_raw_cksum_mbuf of DPDK 22.11 fails here.
    std::vector<uint16_t> sizes;
    for (std::size_t left = 40; random() % 4 != 0; left -= sizes.back()) {
      sizes.push_back(static_cast<uint16_t>(random() % (left + 1)));
    }
    const Bytes frame = Complete(spec, sizes);
    ASSERT_EQ(testing::FindFrameError(frame), "");
    ASSERT_EQ(frame, BuildFrame(spec));
  }
}

TEST_F(ChecksumTest, UdpChecksumOfZeroIsSentAsAllOnes) {
  FrameSpec spec{.protocol = IPPROTO_UDP, .payload = {0, 0}};
  const std::size_t field = OffsetsOf(spec).l4 + 6U;
  // A payload that equals the checksum without it makes the sum all ones.
  const Bytes without = BuildFrame(spec);
  spec.payload = {without[field], without[field + 1]};
  const Bytes frame = Complete(spec);
  EXPECT_EQ(frame[field], 0xff);
  EXPECT_EQ(frame[field + 1], 0xff);
  EXPECT_EQ(testing::FindFrameError(frame), "");
}

TEST_F(ChecksumTest, PlaceOutsideThePacketIsRefusedAndNothingChanges) {
  const Bytes bytes = Pattern(60);
  rte_mbuf* packet = MakePacket(pool_.get(), bytes, std::vector<uint16_t>{7, 30});
  EXPECT_FALSE(CompleteInternetChecksum(*packet, 50, 9));
  EXPECT_FALSE(CompleteInternetChecksum(*packet, 65535, 65535));
  EXPECT_FALSE(CompleteInternetChecksum(*packet, UINT32_MAX, 2));
  EXPECT_FALSE(CompleteSctpChecksum(*packet, 49));
  packet->ol_flags = RTE_MBUF_F_TX_TCP_CKSUM | RTE_MBUF_F_TX_IPV4;
  packet->l2_len = 14;
  packet->l3_len = 60;
  EXPECT_FALSE(CompleteRequestedChecksum(*packet));
  EXPECT_EQ(BytesOf(*packet), bytes);
  EXPECT_TRUE(CompleteInternetChecksum(*packet, 50, 8)) << "the last place within";
  rte_pktmbuf_free(packet);
}

// CRC32c bit by bit, as the polynomial's definition says.
uint32_t PlainCrc32c(std::span<const uint8_t> bytes) {
  uint32_t crc = 0xffffffff;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
  }
  return ~crc;
}

TEST_F(ChecksumTest, SctpGetsItsCrc) {
  constexpr Bytes::size_type kStart = 34;
  const Bytes check = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  ASSERT_EQ(PlainCrc32c(check), 0xe3069283U) << "the check value of CRC-32C";

  Bytes bytes = Pattern(1001);
  rte_mbuf* packet = MakePacket(pool_.get(), bytes, std::vector<uint16_t>{43, 1, 500});
  EXPECT_TRUE(CompleteSctpChecksum(*packet, kStart));
  for (int i = 0; i < 4; ++i) bytes[kStart + 8 + i] = 0;
  const uint32_t crc = PlainCrc32c(std::span(bytes).subspan(kStart));
  for (int i = 0; i < 4; ++i) bytes[kStart + 8 + i] = static_cast<uint8_t>(crc >> 8 * i);
  EXPECT_EQ(BytesOf(*packet), bytes);
  rte_pktmbuf_free(packet);
}

}  // namespace
}  // namespace wakegate
