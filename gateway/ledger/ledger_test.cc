#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gateway/ledger/books.h"
#include "gateway/ledger/reader.h"
#include "gateway/ledger/writer.h"

namespace wakegate::ledger {
namespace {

class LedgerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/ledgerXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    run_dir_ = pattern;
  }
  std::unique_ptr<Writer> MakeWriter(const std::string& boot_id = "boot-1") {
    auto writer = Writer::Create(run_dir_, boot_id, 2'500'000'000);
    EXPECT_TRUE(writer.ok()) << writer.status();
    return std::move(*writer);
  }
  static std::unique_ptr<Reader> OpenReader(const std::string& path) {
    auto reader = Reader::Open(path);
    EXPECT_TRUE(reader.ok()) << reader.status();
    return std::move(*reader);
  }

  std::string run_dir_;
};

TEST_F(LedgerTest, ReaderSeesWhatTheWriterCounts) {
  auto writer = MakeWriter();
  auto rx = writer->AddRxQueue("tap0", 3, 1);
  ASSERT_TRUE(rx.ok());
  rx->block().counters[RxCounter::kPackets].Add(7);
  rx->block().drops[DropReason::kRunt].Add(2);

  auto reader = OpenReader(writer->path());
  EXPECT_EQ(reader->boot_id(), "boot-1");
  const Snapshot snapshot = reader->Take();
  ASSERT_EQ(snapshot.slots.size(), 1U);
  EXPECT_STREQ(snapshot.slots[0].identity().port, "tap0");
  EXPECT_EQ(snapshot.slots[0].identity().queue, 3U);
  EXPECT_EQ(snapshot.slots[0].identity().worker, 1U);
  EXPECT_EQ(snapshot.slots[0].rx().counters[RxCounter::kPackets].Get(), 7U);
  EXPECT_EQ(snapshot.slots[0].rx().drops[DropReason::kRunt].Get(), 2U);
}

TEST_F(LedgerTest, SlotsAreSortedByKindPortAndQueue) {
  auto writer = MakeWriter();
  auto b = writer->AddRxQueue("b", 0, 0);
  auto a1 = writer->AddRxQueue("a", 1, 0);
  auto a0 = writer->AddRxQueue("a", 0, 0);
  const Snapshot snapshot = OpenReader(writer->path())->Take();
  ASSERT_EQ(snapshot.slots.size(), 3U);
  EXPECT_STREQ(snapshot.slots[0].identity().port, "a");
  EXPECT_EQ(snapshot.slots[0].identity().queue, 0U);
  EXPECT_EQ(snapshot.slots[1].identity().queue, 1U);
  EXPECT_STREQ(snapshot.slots[2].identity().port, "b");
}

TEST_F(LedgerTest, RemovedQueuesStayInTheBooksAndFreeTheirSlot) {
  auto writer = MakeWriter();
  auto reader = OpenReader(writer->path());
  {
    auto rx = writer->AddRxQueue("tap0", 0, 0);
    auto tx = writer->AddTxQueue("veth0", 0, 0);
    rx->block().counters[RxCounter::kPackets].Add(10);
    rx->block().counters[RxCounter::kCreated].Add(4);
    tx->block().counters[TxCounter::kPackets].Add(11);
    tx->block().drops[DropReason::kLinkDown].Add(3);
    tx->block().levels[TxLevel::kHeld].Set(0);
  }
  EXPECT_TRUE(reader->Take().slots.empty());
  const Books books = ComputeBooks(reader->Take());
  EXPECT_EQ(books.received, 10U);
  EXPECT_EQ(books.created, 4U);
  EXPECT_EQ(books.sent, 11U);
  EXPECT_EQ(books.dropped, 3U);
  EXPECT_EQ(books.difference(), 0);

  auto again = writer->AddRxQueue("tap0", 0, 0);
  EXPECT_EQ(again->block().counters[RxCounter::kPackets].Get(), 0U);
}

TEST_F(LedgerTest, PacketsInAHandOverRingAreHeld) {
  auto writer = MakeWriter();
  auto rx = writer->AddRxQueue("a", 0, 0);
  auto tx = writer->AddTxQueue("b", 0, 1);
  rx->block().counters[RxCounter::kPackets].Add(5);
  rx->block().counters[RxCounter::kHandedOver].Add(5);
  tx->block().counters[TxCounter::kTakenOver].Add(2);
  tx->block().counters[TxCounter::kPackets].Add(2);
  const Books books = ComputeBooks(OpenReader(writer->path())->Take());
  EXPECT_EQ(books.held, 3U);
  EXPECT_EQ(books.difference(), 0) << books.ToString();
}

TEST_F(LedgerTest, ALostPacketShowsAsADifference) {
  auto writer = MakeWriter();
  auto rx = writer->AddRxQueue("a", 0, 0);
  rx->block().counters[RxCounter::kPackets].Add(1);
  EXPECT_EQ(ComputeBooks(OpenReader(writer->path())->Take()).difference(), 1);
}

TEST_F(LedgerTest, AllSlotsTakenIsResourceExhausted) {
  auto writer = MakeWriter();
  std::vector<PortSlot> slots;
  for (std::size_t i = 0; i < kSlotCount; ++i) {
    auto slot = writer->AddPort("p");
    ASSERT_TRUE(slot.ok()) << i;
    slots.push_back(std::move(*slot));
  }
  EXPECT_EQ(writer->AddPort("p").status().code(), absl::StatusCode::kResourceExhausted);
  slots.pop_back();
  EXPECT_TRUE(writer->AddPort("p").ok());
}

TEST_F(LedgerTest, ANewBootRemovesTheOldLedgerAndAReaderOfItGoesOn) {
  auto first = MakeWriter("boot-1");
  auto rx = first->AddRxQueue("a", 0, 0);
  auto reader = OpenReader(first->path());
  auto second = MakeWriter("boot-2");
  EXPECT_FALSE(Reader::Open(first->path()).ok());
  EXPECT_EQ(reader->Take().slots.size(), 1U);
  EXPECT_EQ(OpenReader(second->path())->boot_id(), "boot-2");
}

TEST_F(LedgerTest, AnotherLayoutIsRefusedWithWhatToDo) {
  auto writer = MakeWriter();
  std::fstream file(writer->path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offsetof(Header, layout_hash));
  file.write("12345678", 8);
  file.close();
  const auto reader = Reader::Open(writer->path());
  EXPECT_EQ(reader.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(reader.status().message().find("same version"), std::string::npos);
}

TEST_F(LedgerTest, ATruncatedFileIsRefused) {
  const std::string path = run_dir_ + "/ledger.short";
  std::ofstream(path) << "short";
  EXPECT_EQ(Reader::Open(path).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Reader::Open(run_dir_ + "/none").status().code(), absl::StatusCode::kNotFound);
}

// Books balance in every snapshot, although a queue comes and goes all the time.
TEST_F(LedgerTest, SnapshotsNeitherLoseNorRepeatAQueueThatIsRetired) {
  auto writer = MakeWriter();
  auto reader = OpenReader(writer->path());
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> retired = 0;
  std::thread control([&] {
    while (!stop) {
      auto rx = writer->AddRxQueue("a", 0, 0);
      rx->block().counters[RxCounter::kPackets].Add(1);
      { const RxQueueSlot gone = std::move(*rx); }
      ++retired;
    }
  });
  for (int i = 0; i < 300; ++i) {
    const uint64_t at_least = retired;
    const uint64_t received = ComputeBooks(reader->Take()).received;
    const uint64_t at_most = retired + 1;
    EXPECT_LE(at_least, received);
    EXPECT_LE(received, at_most + 1);
  }
  stop = true;
  control.join();
}

TEST(HistogramTest, BucketsHaveInclusivePowerOfTwoBounds) {
  using H = Histogram<7>;
  EXPECT_EQ(H::BucketOf(0), 0U);
  EXPECT_EQ(H::BucketOf(1), 0U);
  EXPECT_EQ(H::BucketOf(2), 1U);
  EXPECT_EQ(H::BucketOf(3), 2U);
  EXPECT_EQ(H::BucketOf(4), 2U);
  EXPECT_EQ(H::BucketOf(64), 6U);
  EXPECT_EQ(H::BucketOf(65), 7U);
  EXPECT_EQ(H::BucketOf(~uint64_t{0}), 7U);
}

}  // namespace
}  // namespace wakegate::ledger
