#include "dataplane/packet/adapt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "dataplane/packet/headers.h"
#include "dataplane/packet/offload.h"
#include "dataplane/packet/pool.h"
#include "dataplane/packet/segment.h"
#include "dataplane/packet/virtio_net_header.h"
#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"

namespace wakegate {
namespace {

using ledger::DropReason;
using ledger::RxCounter;
using testing::BuildFrame;
using testing::Bytes;
using testing::BytesOf;
using testing::FrameSpec;
using testing::MakePacket;
using testing::Pattern;

constexpr TransmitCapabilities kPlainPort = {};
constexpr TransmitCapabilities kFullPort = {.checksum = true,
                                            .tcp4_segmentation = true,
                                            .tcp6_segmentation = true,
                                            .udp_segmentation = true,
                                            .chains = true};

// A TCP or UDP frame whose checksum is left to us.
FrameSpec PartialSpec(std::size_t payload_bytes, bool ipv6 = false,
                      uint8_t protocol = IPPROTO_TCP) {
  return {.ipv6 = ipv6,
          .protocol = protocol,
          .partial_checksum = true,
          .payload = Pattern(payload_bytes)};
}

// Whether a port of these capabilities can take the packet.
void ExpectFits(const rte_mbuf& packet, const TransmitCapabilities& capabilities) {
  rte_mbuf_sanity_check(&packet, 1);
  ASSERT_GE(packet.pkt_len, 14U);
  if (!capabilities.chains) {
    EXPECT_EQ(packet.nb_segs, 1);
  }
  uint32_t longest = packet.pkt_len;
  if (AsksForSegmentation(packet)) {
    const bool ipv4 = (packet.ol_flags & RTE_MBUF_F_TX_IPV4) != 0;
    const bool udp = (packet.ol_flags & RTE_MBUF_F_TX_UDP_SEG) != 0;
    EXPECT_TRUE(udp    ? capabilities.udp_segmentation
                : ipv4 ? capabilities.tcp4_segmentation
                       : capabilities.tcp6_segmentation);
    longest = packet.l2_len + packet.l3_len + packet.l4_len + packet.tso_segsz;
  } else if (HasOffload(packet)) {
    EXPECT_TRUE(capabilities.checksum);
  }
  const uint32_t layer2 = ParseHeaders(packet).l2_len;
  EXPECT_LE(std::min(longest, packet.pkt_len) - layer2, capabilities.mtu);
}

class AdaptTest : public ::testing::Test {
 protected:
  // A packet as a tap or a packet socket would deliver it.
  rte_mbuf* Receive(const FrameSpec& spec, uint16_t gso_size = 0,
                    std::span<const uint16_t> sizes = {}) {
    rte_mbuf* packet = MakePacket(pool_.get(), BuildFrame(spec), sizes);
    if (spec.partial_checksum) {
      EXPECT_TRUE(ApplyVirtioNetHeader(testing::VirtioNetHeaderOf(spec, gso_size), *packet));
    }
    return packet;
  }

  // A packet of any shape, damaged or not, with what was accepted of its virtio-net header.
  rte_mbuf* ReceiveAnything(std::mt19937& random) {
    FrameSpec spec = PartialSpec(random() % (random() % 8 == 0 ? 20'000 : 2000), random() % 2 == 0,
                                 random() % 2 == 0 ? IPPROTO_TCP : IPPROTO_UDP);
    if (random() % 4 == 0) spec.tags = {{0x8100, 5}};
    Bytes frame = BuildFrame(spec);
    if (random() % 8 == 0) frame.resize(random() % 64);
    if (random() % 8 == 0 && !frame.empty()) {
      frame[random() % std::min<std::size_t>(frame.size(), 64)] = static_cast<uint8_t>(random());
    }
    std::vector<uint16_t> sizes;
    for (std::size_t left = frame.size(); random() % 3 != 0; left -= sizes.back()) {
      sizes.push_back(static_cast<uint16_t>(random() % std::min<std::size_t>(left + 1, 2049)));
    }
    rte_mbuf* packet = MakePacket(pool_.get(), frame, sizes);
    virtio_net_hdr header =
        testing::VirtioNetHeaderOf(spec, static_cast<uint16_t>(random() % 2 * (random() % 3000)));
    if (random() % 8 == 0) {
      reinterpret_cast<uint8_t*>(&header)[random() % sizeof(header)] =
          static_cast<uint8_t>(random());
    }
    ApplyVirtioNetHeader(header, *packet);
    return packet;
  }

  // What leaves by a port of `capabilities`, held against them. The books balance.
  std::vector<Bytes> Send(const std::vector<rte_mbuf*>& packets,
                          const TransmitCapabilities& capabilities) {
    Batch in;
    for (rte_mbuf* packet : packets) in.Append(packet);
    const uint64_t created_before = Count(RxCounter::kCreated);
    const uint64_t dropped_before = AllDrops();
    std::vector<Bytes> sent;
    Adapt(in, capabilities, pool_.get(), *block_, [&](Batch& out) {
      EXPECT_FALSE(out.empty());
      ++transmits_;
      for (rte_mbuf* packet : out.packets()) {
        ExpectFits(*packet, capabilities);
        sent.push_back(BytesOf(*packet));
        rte_pktmbuf_free(packet);
      }
      out.Clear();
    });
    EXPECT_TRUE(in.empty());
    // received + created = sent + dropped.
    EXPECT_EQ(packets.size() + Count(RxCounter::kCreated) - created_before,
              sent.size() + AllDrops() - dropped_before);
    return sent;
  }

  uint64_t Count(RxCounter counter) const { return block_->counters[counter].Get(); }
  uint64_t Drops(DropReason reason) const { return block_->drops[reason].Get(); }
  uint64_t AllDrops() const {
    uint64_t sum = 0;
    for (const ledger::Counter& cell : block_->drops.cells) sum += cell.Get();
    return sum;
  }

  testing::PoolForTest pool_{511};
  std::unique_ptr<ledger::RxQueueBlock> block_ = std::make_unique<ledger::RxQueueBlock>();
  int transmits_ = 0;
};

TEST_F(AdaptTest, PacketsThatFitLeaveInTheSameBatch) {
  const FrameSpec a{.payload = Pattern(10, 1)};
  const FrameSpec b{.payload = Pattern(1446, 2)};
  EXPECT_EQ(Send({Receive(a), Receive(b)}, kPlainPort),
            (std::vector<Bytes>{BuildFrame(a), BuildFrame(b)}));
  EXPECT_EQ(transmits_, 1);
  EXPECT_TRUE(Send({}, kPlainPort).empty());
  EXPECT_EQ(transmits_, 1);
}

TEST_F(AdaptTest, FramesOfAWholeMtuPassWithTheirTags) {
  const std::vector<std::vector<testing::VlanTag>> tag_stacks = {
      {}, {{0x8100, 1}}, {{0x88a8, 1}, {0x8100, 2}}};
  for (const auto& tags : tag_stacks) {
    FrameSpec spec{.tags = tags, .payload = Pattern(1460)};
    ASSERT_EQ(BuildFrame(spec).size(), 1514 + 4 * tags.size());
    EXPECT_EQ(Send({Receive(spec)}, kPlainPort), std::vector<Bytes>{BuildFrame(spec)});
    spec.payload.push_back(0);
    EXPECT_TRUE(Send({Receive(spec)}, kPlainPort).empty());
  }
  EXPECT_EQ(Drops(DropReason::kTooLong), tag_stacks.size());
  // Only tags may be longer than 1514.
  EXPECT_TRUE(Send({MakePacket(pool_.get(), Pattern(1515))}, kPlainPort).empty());
}

TEST_F(AdaptTest, RuntsAreDroppedAndTheNextGoodFrameLeaves) {
  for (const TransmitCapabilities& port : {kPlainPort, kFullPort}) {
    std::vector<rte_mbuf*> packets;
    for (std::size_t size = 0; size < 14; ++size) {
      packets.push_back(MakePacket(pool_.get(), Pattern(size)));
    }
    packets.push_back(MakePacket(pool_.get(), Pattern(14)));
    EXPECT_EQ(Send(packets, port), std::vector<Bytes>{Pattern(14)});
  }
  EXPECT_EQ(Drops(DropReason::kRunt), 28U);
}

TEST_F(AdaptTest, ChecksumIsCompletedOnlyWhereThePortDoesNot) {
  FrameSpec spec = PartialSpec(100);
  EXPECT_EQ(Send({Receive(spec)}, {.checksum = true}), std::vector<Bytes>{BuildFrame(spec)});
  EXPECT_EQ(Count(RxCounter::kChecksumsCompleted), 0U);
  const std::vector<Bytes> sent = Send({Receive(spec)}, kPlainPort);
  spec.partial_checksum = false;
  EXPECT_EQ(sent, std::vector<Bytes>{BuildFrame(spec)});
  EXPECT_EQ(Count(RxCounter::kChecksumsCompleted), 1U);
}

TEST_F(AdaptTest, SuperFrameIsCutOnlyWhereThePortDoesNot) {
  for (const bool ipv6 : {false, true}) {
    for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
      const FrameSpec spec = PartialSpec(60'000, ipv6, protocol);
      EXPECT_EQ(Send({Receive(spec, 1400)}, kFullPort), std::vector<Bytes>{BuildFrame(spec)});
      const std::vector<Bytes> sent = Send({Receive(spec, 1400)}, kPlainPort);
      ASSERT_EQ(sent.size(), 43U);
      Bytes payload;
      for (const Bytes& frame : sent) {
        EXPECT_EQ(testing::FindFrameError(frame), "");
        const testing::FrameOffsets offsets = testing::OffsetsOf(spec);
        payload.insert(payload.end(), frame.begin() + offsets.l4 + offsets.l4_len, frame.end());
      }
      EXPECT_EQ(payload, spec.payload);
    }
  }
  EXPECT_EQ(Count(RxCounter::kSegmented), 4U);
  EXPECT_EQ(Count(RxCounter::kCreated), 4U * 42);
}

TEST_F(AdaptTest, EachKindOfSegmentationIsThePortsOwnChoice) {
  const FrameSpec tcp4 = PartialSpec(3000);
  const FrameSpec tcp6 = PartialSpec(3000, true);
  const FrameSpec udp = PartialSpec(3000, true, IPPROTO_UDP);
  const auto count_sent = [&](const TransmitCapabilities& port) {
    return Send({Receive(tcp4, 1000), Receive(tcp6, 1000), Receive(udp, 1000)}, port).size();
  };
  EXPECT_EQ(count_sent({.checksum = true, .tcp4_segmentation = true, .chains = true}), 7U);
  EXPECT_EQ(count_sent({.checksum = true, .tcp6_segmentation = true, .chains = true}), 7U);
  EXPECT_EQ(count_sent({.checksum = true, .udp_segmentation = true, .chains = true}), 7U);
  EXPECT_EQ(count_sent({.checksum = true, .chains = true}), 9U);
  TransmitCapabilities no_chains = kFullPort;
  no_chains.chains = false;
  EXPECT_EQ(count_sent(no_chains), 9U) << "a chain that the port cannot take is cut by us";
}

TEST_F(AdaptTest, OrderIsKeptAcrossEveryKindOfWork) {
  std::vector<rte_mbuf*> packets;
  for (uint16_t i = 0; i < kMaxBurst; ++i) {
    FrameSpec spec = PartialSpec(i % 4 == 0 ? 4000 : 100);
    spec.source_port = i;
    spec.partial_checksum = i % 4 != 1;
    const std::vector<uint16_t> sizes(i % 4 == 2 ? 3 : 0, 20);
    packets.push_back(Receive(spec, i % 4 == 0 ? 1000 : 0, sizes));
  }
  const std::vector<Bytes> sent = Send(packets, kPlainPort);
  ASSERT_EQ(sent.size(), kMaxBurst / 4 * 7);
  EXPECT_EQ(transmits_, 2) << "as few batches as hold them";
  std::vector<int> ports;
  for (const Bytes& frame : sent) {
    EXPECT_EQ(testing::FindFrameError(frame), "");
    ports.push_back(frame[34] << 8 | frame[35]);
  }
  EXPECT_TRUE(std::is_sorted(ports.begin(), ports.end()));
}

TEST_F(AdaptTest, SegmentsBeyondTheMtuAreTooLongWhoeverCuts) {
  for (const TransmitCapabilities& port : {kPlainPort, kFullPort}) {
    EXPECT_TRUE(Send({Receive(PartialSpec(5000), 1461)}, port).empty());
    EXPECT_FALSE(Send({Receive(PartialSpec(5000), 1460)}, port).empty());
    FrameSpec tagged = PartialSpec(5000);
    tagged.tags = {{0x8100, 1}};
    EXPECT_FALSE(Send({Receive(tagged, 1460)}, port).empty());
  }
  EXPECT_EQ(Drops(DropReason::kTooLong), 2U);
}

TEST_F(AdaptTest, ChainIsMadeOneMbufOnlyForAPortWithoutChains) {
  const FrameSpec spec{.payload = Pattern(1400)};
  const std::vector<uint16_t> sizes(12, 1);
  EXPECT_EQ(Send({Receive(spec, 0, sizes)}, kFullPort), std::vector<Bytes>{BuildFrame(spec)});
  EXPECT_EQ(Count(RxCounter::kCopied), 0U);
  EXPECT_EQ(Send({Receive(spec, 0, sizes)}, kPlainPort), std::vector<Bytes>{BuildFrame(spec)});
  EXPECT_EQ(Count(RxCounter::kCopied), 1U);
}

TEST_F(AdaptTest, JumboFrameNeedsChainsOrIsTooLong) {
  const FrameSpec spec{.payload = Pattern(8960)};
  EXPECT_EQ(Send({Receive(spec)}, {.mtu = 9000, .chains = true}),
            std::vector<Bytes>{BuildFrame(spec)});
  EXPECT_TRUE(Send({Receive(spec)}, {.mtu = 9000}).empty());
  const FrameSpec super_frame = PartialSpec(20'000);
  EXPECT_EQ(Send({Receive(super_frame, 8960)}, {.mtu = 9000, .chains = true}).size(), 3U);
  EXPECT_TRUE(Send({Receive(super_frame, 8960)}, {.mtu = 9000}).empty());
  EXPECT_EQ(Drops(DropReason::kTooLong), 2U);
}

TEST_F(AdaptTest, RequestThatDoesNotFitIsABadOffload) {
  rte_mbuf* packet = Receive(PartialSpec(3000), 1000);
  packet->tso_segsz = 0;
  EXPECT_TRUE(Send({packet}, kFullPort).empty());
  packet = Receive(PartialSpec(10));
  packet->l3_len = 60;
  EXPECT_TRUE(Send({packet}, kPlainPort).empty());
  EXPECT_EQ(Drops(DropReason::kBadOffload), 2U);
}

TEST_F(AdaptTest, SegmentationWithinATunnelOrWithoutIpIsUnsupported) {
  rte_mbuf* tunnel = Receive(PartialSpec(3000), 1000);
  tunnel->ol_flags |= RTE_MBUF_F_TX_TUNNEL_VXLAN;
  rte_mbuf* no_ip = Receive(PartialSpec(3000), 1000);
  no_ip->ol_flags &= ~RTE_MBUF_F_TX_IPV4;
  EXPECT_TRUE(Send({tunnel, no_ip}, kFullPort).empty());
  EXPECT_EQ(Drops(DropReason::kUnsupportedOffload), 2U);
}

TEST_F(AdaptTest, WithoutBuffersPacketsAreDroppedByNameAndLaterOnesLeave) {
  rte_mbuf* super_frame = Receive(PartialSpec(10'000), 1000);
  rte_mbuf* shared_chain = Receive({.payload = Pattern(1400)}, 0, std::vector<uint16_t>{14});
  rte_mbuf_refcnt_update(shared_chain, 1);
  const FrameSpec small{.payload = Pattern(10)};
  rte_mbuf* last = Receive(small);
  std::vector<rte_mbuf*> others(pool_.available());
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool_.get(), others.data(), others.size()), 0);

  // The chain first: the buffers of the super-frame would do for it.
  EXPECT_EQ(Send({shared_chain, super_frame, last}, kPlainPort),
            std::vector<Bytes>{BuildFrame(small)});
  EXPECT_EQ(Drops(DropReason::kNoBuffer), 2U);
  EXPECT_EQ(Count(RxCounter::kCreated), 0U);
  EXPECT_EQ(Count(RxCounter::kSegmented), 0U);
  rte_pktmbuf_free_seg(shared_chain);
  rte_pktmbuf_free_bulk(others.data(), others.size());
}

TEST_F(AdaptTest, WhateverGuestsSendFitsThePortOrIsDroppedByName) {
  std::mt19937 random(1);
  std::size_t sent = 0;
  for (int round = 0; round < 3000; ++round) {
    const TransmitCapabilities port = {.mtu = 68 + static_cast<uint32_t>(random()) % 9000,
                                       .checksum = true,
                                       .tcp4_segmentation = random() % 2 == 0,
                                       .tcp6_segmentation = random() % 2 == 0,
                                       .udp_segmentation = random() % 2 == 0,
                                       .chains = random() % 2 == 0};
    std::vector<rte_mbuf*> packets;
    for (uint32_t i = random() % 8; i > 0; --i) packets.push_back(ReceiveAnything(random));
    sent += Send(packets, random() % 2 == 0 ? port : kPlainPort).size();
    if (HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_GT(sent, 5000U);
  EXPECT_GT(Count(RxCounter::kSegmented), 100U);
  EXPECT_GT(Count(RxCounter::kCopied), 100U);
  EXPECT_GT(Count(RxCounter::kChecksumsCompleted), 100U);
  for (const DropReason reason : {DropReason::kRunt, DropReason::kTooLong, DropReason::kNoBuffer}) {
    EXPECT_GT(Drops(reason), 0U);
  }
}

}  // namespace
}  // namespace wakegate
