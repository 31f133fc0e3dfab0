#include "dataplane/ports/af_packet/fixture_for_test.h"

#include <rte_cycles.h>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/packet/batch.h"

namespace wakegate {
namespace {

template <class Array>
uint64_t Sum(const Array& array) {
  uint64_t sum = 0;
  for (const ledger::Counter& cell : array.cells) sum += cell.Get();
  return sum;
}

class Patience {
 public:
  explicit Patience(std::chrono::milliseconds time)
      : end_(std::chrono::steady_clock::now() + time) {}
  bool ended() const { return std::chrono::steady_clock::now() >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

PortForTest::PortForTest(const std::string& interface, rte_mempool* pool, uint32_t rx_ring_frames,
                         uint32_t tx_ring_frames)
    : pool_(pool) {
  v1::AfPacketPort config;
  config.set_interface(interface);
  config.set_rx_ring_frames(rx_ring_frames);
  config.set_tx_ring_frames(tx_ring_frames);
  auto port = OpenAfPacketPort(
      config, {.pool = pool_, .rx_blocks = {rx_ledger_.get()}, .tx_blocks = {tx_ledger_.get()}});
  if (!port.ok()) {
    ADD_FAILURE() << port.status();
    std::abort();
  }
  port_ = *std::move(port);
}

RxResult PortForTest::Receive(Batch& out) {
  const uint32_t before = out.size();
  const RxResult result = rx().Receive(out);
  received_ += out.size() - before;
  return result;
}

std::vector<PortForTest::Packet> PortForTest::Receive(std::size_t count,
                                                      std::chrono::milliseconds patience) {
  std::vector<Packet> packets;
  for (Patience silence(patience); packets.size() < count && !silence.ended();) {
    Batch batch;
    Receive(batch);
    if (!batch.empty()) silence = Patience(patience);
    for (rte_mbuf* packet : batch.packets()) {
      packets.push_back(
          {testing::BytesOf(*packet), packet->ol_flags, static_cast<uint16_t>(packet->l2_len),
           static_cast<uint16_t>(packet->l3_len), static_cast<uint16_t>(packet->tso_segsz)});
      rte_pktmbuf_free(packet);
    }
  }
  return packets;
}

void PortForTest::Send(const std::vector<rte_mbuf*>& packets) {
  Batch batch;
  for (rte_mbuf* packet : packets) {
    batch.Append(packet);
    if (!batch.full()) continue;
    tx().Send(batch, rte_rdtsc());
    ASSERT_TRUE(batch.empty());
  }
  tx().Send(batch, rte_rdtsc());
  given_ += packets.size();
}

bool PortForTest::Flush(std::chrono::milliseconds patience) {
  for (const Patience end(patience); !end.ended();) {
    if (tx().Flush(rte_rdtsc()).state == TxResult::State::kIdle) return true;
  }
  return false;
}

void PortForTest::Close() {
  port_.reset();
  EXPECT_EQ(rx_ledger_->counters[ledger::RxCounter::kPackets].Get(),
            received_ + Drops(*rx_ledger_));
  EXPECT_EQ(given_,
            tx_ledger_->counters[ledger::TxCounter::kPackets].Get() + Sum(tx_ledger_->drops));
  EXPECT_EQ(tx_ledger_->levels[ledger::TxLevel::kHeld].Get(), 0U);
}

void AfPacketTest::SetUp() {
  EnterNewNetworkNamespace();
  Ip("link add veth0 address 02:00:00:00:00:01 type veth peer name veth1 address "
     "02:00:00:00:00:02");
  Ip("link set veth0 up");
  Ip("link set veth1 up");
}

std::vector<testing::FrameSpec> SpecsWithPartialChecksum(std::size_t payload_bytes) {
  using Tags = std::vector<testing::VlanTag>;
  std::vector<testing::FrameSpec> specs;
  for (const Tags& tags : {Tags{}, Tags{{0x8100, 5 << 13 | 1 << 12 | 100}},
                           Tags{{0x88a8, 3 << 13 | 200}, {0x8100, 100}}}) {
    for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
      for (const bool ipv6 : {false, true}) {
        specs.push_back({.tags = tags,
                         .ipv6 = ipv6,
                         .protocol = protocol,
                         .partial_checksum = true,
                         .payload = testing::Pattern(payload_bytes)});
      }
    }
  }
  return specs;
}

std::vector<Bytes> BytesOf(const std::vector<PortForTest::Packet>& packets) {
  std::vector<Bytes> bytes;
  for (const PortForTest::Packet& packet : packets) bytes.push_back(packet.bytes);
  return bytes;
}

uint64_t Drops(const ledger::RxQueueBlock& block) { return Sum(block.drops); }
uint64_t SystemCalls(const ledger::RxQueueBlock& block) { return Sum(block.system_calls); }

}  // namespace wakegate
