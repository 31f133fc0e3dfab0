// A port at one end of a veth, in a network namespace of the test's own.
#ifndef DATAPLANE_PORTS_AF_XDP_FIXTURE_FOR_TEST_H_
#define DATAPLANE_PORTS_AF_XDP_FIXTURE_FOR_TEST_H_

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/ports/af_xdp/port.h"
#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"
#include "dataplane/testing/peer_for_test.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

using testing::Bytes;
using testing::NumberedFrame;

// The configuration of a port with its defaults.
v1::AfXdpPort XdpConfig(const std::string& interface);

// A port and its counters, driven by the test's thread in place of workers'.
class XdpPortForTest {
 public:
  explicit XdpPortForTest(rte_mempool* pool, std::string run_dir = "")
      : pool_(pool), run_dir_(std::move(run_dir)) {}
  // Closes it and looks at the books of each queue.
  ~XdpPortForTest();

  // Again after Close.
  absl::Status Open(const v1::AfXdpPort& config);
  void Close();

  Port& port() { return *port_; }
  AnyRxQueue rx(uint32_t queue = 0) { return port_->rx_queues()[queue]; }
  AnyTxQueue tx(uint32_t queue = 0) { return port_->tx_queues()[queue]; }
  ledger::RxQueueBlock& rx_ledger(uint32_t queue = 0) { return *rx_ledgers_[queue]; }
  ledger::TxQueueBlock& tx_ledger(uint32_t queue = 0) { return *tx_ledgers_[queue]; }

  // What comes, until it is `count` packets or nothing has come for `patience`. As their bytes.
  std::vector<Bytes> Receive(std::size_t count,
                             std::chrono::milliseconds patience = std::chrono::seconds(2),
                             uint32_t queue = 0);
  // Likewise, calls `use` with each packet, then frees it.
  std::size_t ReceiveEach(std::size_t count, std::chrono::milliseconds patience, uint32_t queue,
                          const std::function<void(rte_mbuf&)>& use);
  // `count` packets were received past the fixture.
  void CountReceived(std::size_t count) { received_ += count; }
  // Gives packets to the queue, and no more than that.
  void Send(const std::vector<rte_mbuf*>& packets, uint32_t queue = 0);
  // Until nothing is held nor under way, or for `patience`. True: nothing is.
  bool Flush(std::chrono::milliseconds patience = std::chrono::seconds(2), uint32_t queue = 0);

 private:
  rte_mempool* pool_;
  const std::string run_dir_;
  std::vector<std::unique_ptr<ledger::RxQueueBlock>> rx_ledgers_;
  std::vector<std::unique_ptr<ledger::TxQueueBlock>> tx_ledgers_;
  uint64_t received_ = 0;
  uint64_t given_ = 0;
  std::unique_ptr<Port> port_;
};

// veth0 is the port's, veth1 the peer's.
class AfXdpTest : public ::testing::Test {
 protected:
  void SetUp() override;

  void OpenPort(const v1::AfXdpPort& config = XdpConfig("veth0"));
  rte_mbuf* Packet(const Bytes& bytes, const std::vector<uint16_t>& sizes = {});
  void SendNumbered(uint32_t first, uint32_t count, std::size_t size = 60);
  uint64_t Drops(ledger::DropReason reason) { return port_->tx_ledger().drops[reason].Get(); }
  uint64_t Sent() { return port_->tx_ledger().counters[ledger::TxCounter::kPackets].Get(); }
  uint64_t Held() { return port_->tx_ledger().levels[ledger::TxLevel::kHeld].Get(); }

  testing::PoolForTest pool_{4095};
  std::unique_ptr<XdpPortForTest> port_ = std::make_unique<XdpPortForTest>(pool_.get());
};

// Likewise, with the port open and a socket at the peer.
class AfXdpPeerTest : public AfXdpTest {
 protected:
  void SetUp() override;

  uint64_t Count(ledger::RxCounter counter) { return port_->rx_ledger().counters[counter].Get(); }

  std::optional<PeerForTest> peer_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_FIXTURE_FOR_TEST_H_
