// A tap port in a network namespace of the test's own; the host's side is a PeerForTest.
#ifndef DATAPLANE_PORTS_TAP_TAP_FOR_TEST_H_
#define DATAPLANE_PORTS_TAP_TAP_FOR_TEST_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/kernel/call_ring.h"
#include "dataplane/ports/port.h"
#include "dataplane/testing/eal_for_test.h"
#include "dataplane/testing/frames.h"
#include "dataplane/testing/peer_for_test.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// An Ethernet frame that no stack answers, of that many bytes.
testing::Bytes Frame(std::size_t bytes, uint32_t seed = 1);

// A burst is one call of the thread for as long as this lives, where that is wanted, else a call
// for each packet.
class ScopedCallRing {
 public:
  explicit ScopedCallRing(bool batched);
  ~ScopedCallRing() { CallRing::SetOfThisThread(nullptr); }
  ScopedCallRing(const ScopedCallRing&) = delete;
  ScopedCallRing& operator=(const ScopedCallRing&) = delete;

 private:
  std::unique_ptr<CallRing> ring_;
};

class TapTest : public ::testing::Test {
 protected:
  TapTest();

  static v1::TapPort Config(uint32_t queues = 1, bool persistent = false);
  absl::StatusOr<std::unique_ptr<Port>> TryOpen(const v1::TapPort& config);
  // Opens the port on tap0 and puts it up.
  void Open(const v1::TapPort& config = Config());

  // Of queue 0. Receive gives the packets' bytes and frees them.
  std::vector<testing::Bytes> Receive(RxResult* result = nullptr, uint32_t limit = kMaxBurst);
  void Send(const std::vector<testing::Bytes>& frames);
  // Whether poll reports anything at all of a queue's wait_fd.
  static bool IsReady(int fd);

  // The transmit side: whether all `given` packets are sent, dropped or held.
  void ExpectSentBooksBalance(uint64_t given) const;

  testing::PoolForTest pool_{4095};
  // The counters of the port that was tried to open last. Those before it keep theirs.
  std::vector<ledger::RxQueueBlock*> rx_;
  std::vector<ledger::TxQueueBlock*> tx_;

 private:
  std::vector<std::unique_ptr<ledger::RxQueueBlock>> all_rx_;
  std::vector<std::unique_ptr<ledger::TxQueueBlock>> all_tx_;

 protected:
  std::unique_ptr<Port> port_;  // Goes before its counters.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_TAP_TAP_FOR_TEST_H_
