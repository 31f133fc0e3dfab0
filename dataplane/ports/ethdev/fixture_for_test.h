// An ethdev port that a test drives in place of a worker.
#ifndef DATAPLANE_PORTS_ETHDEV_FIXTURE_FOR_TEST_H_
#define DATAPLANE_PORTS_ETHDEV_FIXTURE_FOR_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/ports/ethdev/port.h"
#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// One thread.
class EthdevForTest {
 public:
  using Bytes = testing::Bytes;

  // Opens the port and puts it up; it must open.
  EthdevForTest(const std::string& devargs, rte_mempool* pool, uint32_t queues = 1);
  // Closes it and looks at the books.
  ~EthdevForTest();

  Port& port() { return *port_; }
  AnyRxQueue rx(uint32_t queue = 0) { return port_->rx_queues()[queue]; }
  AnyTxQueue tx(uint32_t queue = 0) { return port_->tx_queues()[queue]; }
  ledger::RxQueueBlock& rx_ledger(uint32_t queue = 0) { return *rx_ledgers_[queue]; }
  ledger::TxQueueBlock& tx_ledger(uint32_t queue = 0) { return *tx_ledgers_[queue]; }

  // Waits until the device has a carrier.
  void AwaitCarrier();
  // What comes on a queue, until it is `count` packets or nothing has come for two seconds. Each
  // look asks for up to `burst` packets.
  std::vector<Bytes> Receive(std::size_t count, uint32_t queue = 0, uint32_t burst = 32);
  // Gives the frames to a queue, and no more than that.
  void Send(const std::vector<Bytes>& frames, uint32_t queue = 0);
  void Send(rte_mbuf* packet, uint32_t queue = 0);
  // Until nothing is held, or two seconds have passed. True: nothing is held.
  bool Flush(uint32_t queue = 0);
  uint64_t Dropped(ledger::DropReason reason) const;
  // That the test has received or sent so many on its own.
  void CountReceivedElsewhere(uint64_t packets) { received_ += packets; }
  void CountSentElsewhere(uint64_t packets) { given_ += packets; }

 private:
  rte_mempool* const pool_;
  std::vector<std::unique_ptr<ledger::RxQueueBlock>> rx_ledgers_;
  std::vector<std::unique_ptr<ledger::TxQueueBlock>> tx_ledgers_;
  std::unique_ptr<Port> port_;
  uint64_t received_ = 0;
  uint64_t given_ = 0;
};

// What is answered where such a port is opened and put up.
absl::Status OpenError(const std::string& devargs, rte_mempool* pool, uint32_t queues = 1);

// `count` frames of 64 to 127 bytes, all different.
std::vector<testing::Bytes> NumberedFrames(uint32_t count);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_FIXTURE_FOR_TEST_H_
