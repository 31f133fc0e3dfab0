// A port at one end of a veth, in a network namespace of the test's own.
#ifndef DATAPLANE_PORTS_AF_PACKET_FIXTURE_FOR_TEST_H_
#define DATAPLANE_PORTS_AF_PACKET_FIXTURE_FOR_TEST_H_

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/ports/af_packet/port.h"
#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

using testing::Bytes;
using testing::NumberedFrame;

// A port and its counters, driven by the test's thread in place of a worker's.
class PortForTest {
 public:
  struct Packet {
    Bytes bytes;
    uint64_t ol_flags = 0;
    uint16_t l2_len = 0;
    uint16_t l3_len = 0;
    uint16_t tso_segsz = 0;

    bool operator==(const Packet&) const = default;
  };

  // Opens it; it must open.
  PortForTest(const std::string& interface, rte_mempool* pool, uint32_t rx_ring_frames = 2048,
              uint32_t tx_ring_frames = 1024);

  Port& port() { return *port_; }
  AnyRxQueue rx() { return port_->rx_queues().front(); }
  AnyTxQueue tx() { return port_->tx_queues().front(); }
  ledger::RxQueueBlock& rx_ledger() { return *rx_ledger_; }
  ledger::TxQueueBlock& tx_ledger() { return *tx_ledger_; }

  // One look.
  RxResult Receive(Batch& out);
  // What comes, until it is `count` packets or nothing has come for `patience`.
  std::vector<Packet> Receive(std::size_t count,
                              std::chrono::milliseconds patience = std::chrono::seconds(2));
  // Gives packets to the queue, and no more than that.
  void Send(const std::vector<rte_mbuf*>& packets);
  // Until nothing is held, or for `patience`. True: nothing is held.
  bool Flush(std::chrono::milliseconds patience = std::chrono::seconds(2));
  // Closes the port and looks at the books of each queue.
  void Close();

 private:
  rte_mempool* pool_;
  std::unique_ptr<ledger::RxQueueBlock> rx_ledger_ = std::make_unique<ledger::RxQueueBlock>();
  std::unique_ptr<ledger::TxQueueBlock> tx_ledger_ = std::make_unique<ledger::TxQueueBlock>();
  uint64_t received_ = 0;
  uint64_t given_ = 0;
  std::unique_ptr<Port> port_;
};

// veth0 is the port's, veth1 the peer's.
class AfPacketTest : public ::testing::Test {
 protected:
  void SetUp() override;

  testing::PoolForTest pool_{4095};
};

// TCP and UDP over IPv4 and IPv6, without a VLAN tag, with one and with two of different kinds,
// with `payload_bytes` of payload and a partial checksum.
std::vector<testing::FrameSpec> SpecsWithPartialChecksum(std::size_t payload_bytes);
std::vector<Bytes> BytesOf(const std::vector<PortForTest::Packet>& packets);

uint64_t Drops(const ledger::RxQueueBlock& block);
uint64_t SystemCalls(const ledger::RxQueueBlock& block);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_PACKET_FIXTURE_FOR_TEST_H_
