#include "dataplane/ports/af_xdp/fixture_for_test.h"

#include <rte_cycles.h>

#include <utility>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/packet/batch.h"

namespace wakegate {
namespace {

using std::chrono::steady_clock;

template <class Array>
uint64_t Sum(const Array& array) {
  uint64_t sum = 0;
  for (const ledger::Counter& cell : array.cells) sum += cell.Get();
  return sum;
}

}  // namespace

v1::AfXdpPort XdpConfig(const std::string& interface) {
  v1::AfXdpPort config;
  config.set_interface(interface);
  config.set_queues(1);
  config.set_mode("auto");
  config.set_rx_ring_frames(1024);
  config.set_tx_ring_frames(1024);
  config.set_selector("all");
  return config;
}

XdpPortForTest::~XdpPortForTest() { Close(); }

absl::Status XdpPortForTest::Open(const v1::AfXdpPort& config) {
  PortEnvironment environment;
  environment.pool = pool_;
  environment.run_dir = run_dir_;
  while (rx_ledgers_.size() < config.queues()) {
    rx_ledgers_.push_back(std::make_unique<ledger::RxQueueBlock>());
    tx_ledgers_.push_back(std::make_unique<ledger::TxQueueBlock>());
  }
  for (uint32_t queue = 0; queue < config.queues(); ++queue) {
    environment.rx_blocks.push_back(rx_ledgers_[queue].get());
    environment.tx_blocks.push_back(tx_ledgers_[queue].get());
  }
  absl::StatusOr<std::unique_ptr<Port>> port = OpenAfXdpPort(config, environment);
  if (!port.ok()) return port.status();
  port_ = *std::move(port);
  return absl::OkStatus();
}

void XdpPortForTest::Close() {
  if (std::exchange(port_, nullptr) == nullptr) return;
  uint64_t counted_in = 0;
  uint64_t counted_out = 0;
  for (uint32_t queue = 0; queue < rx_ledgers_.size(); ++queue) {
    const ledger::RxQueueBlock& rx = *rx_ledgers_[queue];
    const ledger::TxQueueBlock& tx = *tx_ledgers_[queue];
    counted_in += rx.counters[ledger::RxCounter::kPackets].Get() - Sum(rx.drops);
    counted_out += tx.counters[ledger::TxCounter::kPackets].Get() + Sum(tx.drops);
    EXPECT_EQ(Sum(rx.levels), 0U);
    EXPECT_EQ(Sum(tx.levels), 0U);
    EXPECT_EQ(tx.counters[ledger::TxCounter::kBuffersGivenUp].Get(), 0U);
  }
  EXPECT_EQ(counted_in, received_);
  EXPECT_EQ(counted_out, given_);
}

std::vector<Bytes> XdpPortForTest::Receive(std::size_t count, std::chrono::milliseconds patience,
                                           uint32_t queue) {
  std::vector<Bytes> frames;
  ReceiveEach(count, patience, queue,
              [&](const rte_mbuf& packet) { frames.push_back(testing::BytesOf(packet)); });
  return frames;
}

std::size_t XdpPortForTest::ReceiveEach(std::size_t count, std::chrono::milliseconds patience,
                                        uint32_t queue, const std::function<void(rte_mbuf&)>& use) {
  std::size_t received = 0;
  for (auto end = steady_clock::now() + patience; received < count && steady_clock::now() < end;) {
    if (!rx(queue).ready_word()->IsReady()) continue;
    Batch batch;
    rx(queue).Receive(batch);
    if (!batch.empty()) end = steady_clock::now() + patience;
    for (rte_mbuf* packet : batch.packets()) {
      use(*packet);
      rte_pktmbuf_free(packet);
    }
    received += batch.size();
  }
  received_ += received;
  return received;
}

void XdpPortForTest::Send(const std::vector<rte_mbuf*>& packets, uint32_t queue) {
  Batch batch;
  for (rte_mbuf* packet : packets) {
    batch.Append(packet);
    if (!batch.full()) continue;
    tx(queue).Send(batch, rte_rdtsc());
    ASSERT_TRUE(batch.empty());
  }
  tx(queue).Send(batch, rte_rdtsc());
  given_ += packets.size();
}

bool XdpPortForTest::Flush(std::chrono::milliseconds patience, uint32_t queue) {
  const auto end = steady_clock::now() + patience;
  while (steady_clock::now() < end) {
    if (tx(queue).Flush(rte_rdtsc()).state == TxResult::State::kIdle) return true;
  }
  return false;
}

void AfXdpTest::SetUp() {
  EnterNewNetworkNamespace();
  Ip("link add veth0 address 02:00:00:00:00:01 type veth peer name veth1 address "
     "02:00:00:00:00:02");
  Ip("link set veth0 up");
  Ip("link set veth1 up");
}

void AfXdpTest::OpenPort(const v1::AfXdpPort& config) {
  const absl::Status status = port_->Open(config);
  ASSERT_TRUE(status.ok()) << status;
}

rte_mbuf* AfXdpTest::Packet(const Bytes& bytes, const std::vector<uint16_t>& sizes) {
  return testing::MakePacket(pool_.get(), bytes, sizes);
}

void AfXdpTest::SendNumbered(uint32_t first, uint32_t count, std::size_t size) {
  std::vector<rte_mbuf*> packets;
  for (uint32_t i = 0; i < count; ++i) packets.push_back(Packet(NumberedFrame(first + i, size)));
  port_->Send(packets);
}

void AfXdpPeerTest::SetUp() {
  AfXdpTest::SetUp();
  OpenPort();
  peer_.emplace("veth1");
}

}  // namespace wakegate
