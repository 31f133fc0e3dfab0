// What no device here does: rings of our own in place of the kernel's.
#include "dataplane/ports/af_xdp/tx_ring.h"

#include <gtest/gtest.h>
#include <linux/if_xdp.h>
#include <rte_cycles.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/ports/af_xdp/fixture_for_test.h"
#include "dataplane/ports/af_xdp/tx_queue.h"

namespace wakegate {
namespace {

using ledger::TxCounter;

// The kernel's side of a transmit and a completion ring.
class KernelForTest {
 public:
  KernelForTest(uint32_t tx_size, uint32_t completion_size)
      : descriptors_(tx_size), completions_(completion_size) {
    rings.tx.cached_cons = tx_size;
    rings.tx.mask = tx_size - 1;
    rings.tx.size = tx_size;
    rings.tx.producer = &tx_producer;
    rings.tx.consumer = &tx_consumer;
    rings.tx.ring = descriptors_.data();
    rings.tx.flags = &tx_flags;
    rings.completion.mask = completion_size - 1;
    rings.completion.size = completion_size;
    rings.completion.producer = &completion_producer;
    rings.completion.consumer = &completion_consumer;
    rings.completion.ring = completions_.data();
    // Kicks go into one end of a pair of sockets.
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    ours_ = FileDescriptor(pair[0]);
    theirs_ = FileDescriptor(pair[1]);
    rings.socket = ours_.get();
  }

  // Takes the next descriptors without giving their buffers back.
  void Take(uint32_t count) { tx_consumer += count; }
  // Gives back the buffer of the descriptor at that position.
  void Complete(uint32_t position) {
    const uint64_t address = descriptors_[position & rings.tx.mask].addr;
    completions_[completion_producer & rings.completion.mask] = address;
    ++completion_producer;
  }
  void CompleteAddress(uint64_t address) {
    completions_[completion_producer++ & rings.completion.mask] = address;
  }

  XdpRings rings;
  uint32_t tx_producer = 0;
  uint32_t tx_consumer = 0;
  uint32_t tx_flags = XDP_RING_NEED_WAKEUP;
  uint32_t completion_producer = 0;
  uint32_t completion_consumer = 0;

 private:
  std::vector<xdp_desc> descriptors_;
  std::vector<uint64_t> completions_;
  FileDescriptor ours_;
  FileDescriptor theirs_;
};

class XdpTxRingTest : public ::testing::Test {
 protected:
  rte_mbuf* Packet() { return testing::MakePacket(pool_.get(), NumberedFrame(1)); }
  void Put(XdpTxRing& ring, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      ASSERT_TRUE(ring.HasRoom(1)) << i;
      ring.Put(Packet());
    }
    ring.Submit();
  }

  testing::PoolForTest pool_{511};
  BufferMemory memory_ = MemoryOf(pool_.get());
};

TEST_F(XdpTxRingTest, BuffersComeBackInAnyOrderAndOnlyThoseThatWereLent) {
  KernelForTest kernel(64, 64);
  XdpTxRing ring(kernel.rings, memory_, {});
  Put(ring, 4);
  EXPECT_EQ(ring.waiting(), 4U);
  kernel.Take(4);
  EXPECT_EQ(ring.CollectTaken(0).packets, 4U);
  EXPECT_EQ(ring.under_way(), 4U);
  kernel.Complete(3);
  kernel.Complete(1);
  kernel.Complete(3);                        // A second time.
  kernel.CompleteAddress(UINT64_MAX >> 20);  // Beyond the memory.
  uint64_t unknown = 0;
  EXPECT_EQ(ring.Reap(unknown), 2U);
  EXPECT_EQ(unknown, 2U);
  EXPECT_EQ(ring.lent(), 2U);
}

TEST_F(XdpTxRingTest, ACompletionRingSmallerThanTheTransmitRingBoundsWhatIsLent) {
  KernelForTest kernel(64, 8);
  XdpTxRing ring(kernel.rings, memory_, {});
  Put(ring, 8);
  EXPECT_FALSE(ring.HasRoom(1));
  kernel.Take(8);
  ring.CollectTaken(0);
  EXPECT_FALSE(ring.HasRoom(1)) << "the buffers are not back";
  for (uint32_t i = 0; i < 8; ++i) kernel.Complete(i);
  uint64_t unknown = 0;
  ring.Reap(unknown);
  EXPECT_TRUE(ring.HasRoom(8));
}

TEST_F(XdpTxRingTest, ADroppedPacketIsCountedOnceWhetherOrNotTheKernelHasSaidThatItTookIt) {
  KernelForTest kernel(64, 64);
  XdpTxRing ring(kernel.rings, memory_, {.multi_buffer = true});
  Put(ring, 3);
  // It moves its index only behind what it sent: it has taken the first one, and drops it.
  TakenPackets taken = ring.CollectTaken(EBUSY);
  EXPECT_EQ(taken.packets, 0U);
  EXPECT_EQ(taken.dropped, 1U);
  EXPECT_EQ(ring.waiting(), 2U);
  // The next two: one sent, one dropped.
  kernel.Take(3);
  taken = ring.CollectTaken(EBUSY);
  EXPECT_EQ(taken.packets, 1U);
  EXPECT_EQ(taken.bytes, 60U);
  EXPECT_EQ(taken.dropped, 1U);
  EXPECT_EQ(ring.waiting(), 0U);
  EXPECT_FALSE(ring.CollectTaken(0).progress);
}

TEST_F(XdpTxRingTest, IndexesWrapAround) {
  KernelForTest kernel(64, 64);
  kernel.tx_producer = kernel.tx_consumer = UINT32_MAX - 9;
  kernel.rings.tx.cached_prod = UINT32_MAX - 9;
  kernel.rings.tx.cached_cons = UINT32_MAX - 9 + 64;
  XdpTxRing ring(kernel.rings, memory_, {});
  for (uint32_t round = 0; round < 10; ++round) {
    const uint32_t first = kernel.tx_consumer;
    Put(ring, 7);
    kernel.Take(7);
    EXPECT_EQ(ring.CollectTaken(0).packets, 7U);
    for (uint32_t i = 0; i < 7; ++i) kernel.Complete(first + i);
    uint64_t unknown = 0;
    EXPECT_EQ(ring.Reap(unknown), 7U);
  }
}

class XdpTxWithoutKernelTest : public XdpTxRingTest {
 protected:
  void Send(uint32_t count, Tsc now) {
    Batch batch;
    for (uint32_t i = 0; i < count; ++i) batch.Append(Packet());
    queue_.Send(batch, now);
  }
  uint64_t Count(TxCounter counter) { return ledger_->counters[counter].Get(); }
  Tsc Microseconds(uint64_t count) { return rte_get_tsc_hz() / 1'000'000 * count; }

  std::unique_ptr<ledger::TxQueueBlock> ledger_ = std::make_unique<ledger::TxQueueBlock>();
  KernelForTest kernel_{64, 64};
  AfXdpTxQueue queue_{kernel_.rings, memory_, {.zero_copy = true}, *ledger_};
};

TEST_F(XdpTxWithoutKernelTest, ADeviceThatDoesNotWantToBeWokenIsNot) {
  kernel_.tx_flags = 0;
  const Tsc start = rte_rdtsc();
  Send(4, start);
  for (Tsc now = start; now < start + Microseconds(900); now += Microseconds(10)) {
    EXPECT_EQ(queue_.Flush(now).state, TxResult::State::kAt) << "it is looked after";
  }
  EXPECT_EQ(Count(TxCounter::kKicksSent), 0U);
  EXPECT_EQ(Count(TxCounter::kKicksNotNeeded), 1U) << "however often it is looked";
  kernel_.Take(4);
  for (uint32_t i = 0; i < 4; ++i) kernel_.Complete(i);
  EXPECT_EQ(queue_.Flush(start + Microseconds(950)).state, TxResult::State::kIdle);
  EXPECT_EQ(Count(TxCounter::kPackets), 4U);
}

TEST_F(XdpTxWithoutKernelTest, AFlagThatIsStaleForTooLongIsOverruled) {
  kernel_.tx_flags = 0;
  const Tsc start = rte_rdtsc();
  Send(4, start);
  queue_.Flush(start + Microseconds(100));
  EXPECT_EQ(Count(TxCounter::kKicksForced), 0U);
  queue_.Flush(start + Microseconds(1100));
  EXPECT_EQ(Count(TxCounter::kKicksForced), 1U);
  EXPECT_EQ(Count(TxCounter::kKicksSent), 1U);
}

TEST_F(XdpTxWithoutKernelTest, AFlagThatIsSetLateIsSeenWithoutNewPackets) {
  kernel_.tx_flags = 0;
  const Tsc start = rte_rdtsc();
  Send(4, start);
  queue_.Flush(start + Microseconds(50));
  kernel_.tx_flags = XDP_RING_NEED_WAKEUP;
  queue_.Flush(start + Microseconds(60));
  EXPECT_EQ(Count(TxCounter::kKicksSent), 1U);
}

// Nobody takes anything: the kicks are bounded, and get rarer.
TEST_F(XdpTxWithoutKernelTest, AKernelThatTakesNothingIsKickedLessAndLessOften) {
  const Tsc start = rte_rdtsc();
  Send(4, start);
  for (Tsc now = start; now < start + Microseconds(20'000); now += Microseconds(10)) {
    queue_.Flush(now);
  }
  EXPECT_GE(Count(TxCounter::kRetries), 5U);
  EXPECT_LE(Count(TxCounter::kKicksSent), 20U);
}

TEST_F(XdpTxWithoutKernelTest, CompletionsThatNeverComeDoNotHoldUpTheEnd) {
  Send(4, rte_rdtsc());
  kernel_.Take(3);
  queue_.Flush(rte_rdtsc());
  queue_.DropHeld(ledger::DropReason::kPortRemoved);
  const auto start = std::chrono::steady_clock::now();
  queue_.AwaitBuffers(start + std::chrono::milliseconds(50));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_EQ(Count(TxCounter::kBuffersGivenUp), 3U);
  EXPECT_EQ(ledger_->drops[ledger::DropReason::kPortRemoved].Get(), 1U);
}

}  // namespace
}  // namespace wakegate
