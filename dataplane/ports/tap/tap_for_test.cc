#include "dataplane/ports/tap/tap_for_test.h"

#include <poll.h>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/packet/packet_from_bytes.h"
#include "dataplane/ports/tap/port.h"

namespace wakegate {

testing::Bytes Frame(std::size_t bytes, uint32_t seed) {
  testing::Bytes frame = testing::Pattern(bytes, seed);
  frame[0] = frame[6] = 0x02;          // From and to a single host.
  frame[12] = 0x88, frame[13] = 0xb5;  // Local experimental ethertype (IEEE 802).
  return frame;
}

ScopedCallRing::ScopedCallRing(bool batched) {
  if (!batched) return;
  absl::StatusOr<std::unique_ptr<CallRing>> ring = CallRing::Create();
  EXPECT_TRUE(ring.ok()) << ring.status();
  if (ring.ok()) ring_ = *std::move(ring);
  CallRing::SetOfThisThread(ring_.get());
}

TapTest::TapTest() { EnterNewNetworkNamespace(); }

v1::TapPort TapTest::Config(uint32_t queues, bool persistent) {
  v1::TapPort config;
  config.set_interface("tap0");
  config.set_queues(queues);
  config.set_persistent(persistent);
  return config;
}

absl::StatusOr<std::unique_ptr<Port>> TapTest::TryOpen(const v1::TapPort& config) {
  PortEnvironment environment = {.pool = pool_.get(), .rx_blocks = {}, .tx_blocks = {}};
  rx_.clear();
  tx_.clear();
  for (uint32_t i = 0; i < config.queues(); ++i) {
    rx_.push_back(all_rx_.emplace_back(std::make_unique<ledger::RxQueueBlock>()).get());
    tx_.push_back(all_tx_.emplace_back(std::make_unique<ledger::TxQueueBlock>()).get());
  }
  environment.rx_blocks = rx_;
  environment.tx_blocks = tx_;
  return OpenTapPort(config, environment);
}

void TapTest::Open(const v1::TapPort& config) {
  port_.reset();
  absl::StatusOr<std::unique_ptr<Port>> port = TryOpen(config);
  ASSERT_TRUE(port.ok()) << port.status();
  port_ = *std::move(port);
  const absl::Status status = port_->SetAdminUp(true);
  ASSERT_TRUE(status.ok()) << status;
}

std::vector<testing::Bytes> TapTest::Receive(RxResult* result, uint32_t limit) {
  Batch batch(limit);
  const RxResult received = port_->rx_queues()[0].Receive(batch);
  if (result != nullptr) *result = received;
  std::vector<testing::Bytes> frames;
  for (const rte_mbuf* packet : batch.packets()) frames.push_back(testing::BytesOf(*packet));
  rte_pktmbuf_free_bulk(batch.data(), batch.size());
  return frames;
}

void TapTest::Send(const std::vector<testing::Bytes>& frames) {
  Batch batch;
  for (const testing::Bytes& frame : frames) {
    batch.Append(testing::MakePacket(pool_.get(), frame));
    if (batch.full()) port_->tx_queues()[0].Send(batch, 0);
  }
  port_->tx_queues()[0].Send(batch, 0);
}

bool TapTest::IsReady(int fd) {
  pollfd poll_fd = {.fd = fd, .events = POLLIN | POLLOUT, .revents = 0};
  return poll(&poll_fd, 1, 0) != 0;
}

void TapTest::ExpectSentBooksBalance(uint64_t given) const {
  uint64_t known = 0;
  for (const auto& block : tx_) {
    known += block->counters[ledger::TxCounter::kPackets].Get();
    known += block->levels[ledger::TxLevel::kHeld].Get();
    for (const ledger::Counter& drops : block->drops.cells) known += drops.Get();
  }
  EXPECT_EQ(given, known);
}

}  // namespace wakegate
