#include "dataplane/ports/ethdev/fixture_for_test.h"

#include <rte_cycles.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "dataplane/packet/batch.h"
#include "gateway/testing/eventually.h"

namespace wakegate {
namespace {

using std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(2);

template <class Array>
uint64_t Sum(const Array& array) {
  uint64_t sum = 0;
  for (const ledger::Counter& cell : array.cells) sum += cell.Get();
  return sum;
}

v1::EthdevPort Config(const std::string& devargs, uint32_t queues) {
  v1::EthdevPort config;
  config.set_devargs(devargs);
  config.set_queues(queues);
  config.set_rx_descriptors(1024);
  config.set_tx_descriptors(1024);
  return config;
}

}  // namespace

EthdevForTest::EthdevForTest(const std::string& devargs, rte_mempool* pool, uint32_t queues)
    : pool_(pool) {
  PortEnvironment environment = {.pool = pool, .rx_blocks = {}, .tx_blocks = {}};
  for (uint32_t queue = 0; queue < queues; ++queue) {
    rx_ledgers_.push_back(std::make_unique<ledger::RxQueueBlock>());
    tx_ledgers_.push_back(std::make_unique<ledger::TxQueueBlock>());
    environment.rx_blocks.push_back(rx_ledgers_.back().get());
    environment.tx_blocks.push_back(tx_ledgers_.back().get());
  }
  auto port = OpenEthdevPort(Config(devargs, queues), environment);
  absl::Status status = port.status();
  if (status.ok()) status = (*port)->SetAdminUp(true);
  if (status.ok()) status = (*port)->ReadDevice().status();  // As control does.
  if (!status.ok()) {
    ADD_FAILURE() << status;
    std::abort();
  }
  port_ = *std::move(port);
}

EthdevForTest::~EthdevForTest() {
  port_.reset();
  uint64_t counted = 0;
  uint64_t rx_drops = 0;
  for (const auto& block : rx_ledgers_) {
    counted += block->counters[ledger::RxCounter::kPackets].Get();
    rx_drops += Sum(block->drops);
  }
  EXPECT_EQ(counted, received_ + rx_drops);
  uint64_t sent = 0;
  for (const auto& block : tx_ledgers_) {
    sent += block->counters[ledger::TxCounter::kPackets].Get() + Sum(block->drops);
    EXPECT_EQ(block->levels[ledger::TxLevel::kHeld].Get(), 0U);
  }
  EXPECT_EQ(given_, sent);
}

void EthdevForTest::AwaitCarrier() {
  EXPECT_TRUE(Eventually([this] { return port_->ReadDevice()->carrier; }));
}

std::vector<testing::Bytes> EthdevForTest::Receive(std::size_t count, uint32_t queue,
                                                   uint32_t burst) {
  std::vector<Bytes> frames;
  auto end = steady_clock::now() + kPatience;
  while (frames.size() < count && steady_clock::now() < end) {
    Batch batch(burst);
    rx(queue).Receive(batch);
    if (!batch.empty()) end = steady_clock::now() + kPatience;
    received_ += batch.size();
    for (rte_mbuf* packet : batch.packets()) {
      frames.push_back(testing::BytesOf(*packet));
      rte_pktmbuf_free(packet);
    }
  }
  return frames;
}

void EthdevForTest::Send(const std::vector<Bytes>& frames, uint32_t queue) {
  Batch batch;
  for (const Bytes& frame : frames) {
    batch.Append(testing::MakePacket(pool_, frame));
    if (batch.full()) tx(queue).Send(batch, rte_rdtsc());
  }
  tx(queue).Send(batch, rte_rdtsc());
  given_ += frames.size();
}

void EthdevForTest::Send(rte_mbuf* packet, uint32_t queue) {
  Batch batch;
  batch.Append(packet);
  tx(queue).Send(batch, rte_rdtsc());
  ++given_;
}

bool EthdevForTest::Flush(uint32_t queue) {
  const auto end = steady_clock::now() + kPatience;
  while (steady_clock::now() < end) {
    if (tx(queue).Flush(rte_rdtsc()).state == TxResult::State::kIdle) return true;
  }
  return false;
}

uint64_t EthdevForTest::Dropped(ledger::DropReason reason) const {
  uint64_t dropped = 0;
  for (const auto& block : rx_ledgers_) dropped += block->drops[reason].Get();
  for (const auto& block : tx_ledgers_) dropped += block->drops[reason].Get();
  return dropped;
}

absl::Status OpenError(const std::string& devargs, rte_mempool* pool, uint32_t queues) {
  ledger::RxQueueBlock rx = {};
  ledger::TxQueueBlock tx = {};
  const PortEnvironment environment = {
      .pool = pool,
      .rx_blocks = std::vector<ledger::RxQueueBlock*>(queues, &rx),
      .tx_blocks = std::vector<ledger::TxQueueBlock*>(queues, &tx)};
  const auto port = OpenEthdevPort(Config(devargs, queues), environment);
  return port.ok() ? (*port)->SetAdminUp(true) : port.status();
}

std::vector<testing::Bytes> NumberedFrames(uint32_t count) {
  std::vector<testing::Bytes> frames;
  for (uint32_t i = 0; i < count; ++i) frames.push_back(testing::Pattern(64 + i % 64, i + 1));
  return frames;
}

}  // namespace wakegate
