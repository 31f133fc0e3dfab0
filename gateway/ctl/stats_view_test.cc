#include "gateway/ctl/stats_view.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_split.h"
#include "gateway/ctl/snapshots_for_test.h"
#include "gateway/ctl/table.h"

namespace wakegate {
namespace {

TEST(FormatStatsTest, LooksLikeThis) {
  setenv("TZ", "UTC", 1);
  EXPECT_EQ(FormatStats(ComputeRates(FirstSnapshot(), SecondSnapshot())),
            R"(Wakegate at 12:00:01, over 1.0 s

RECEIVE  Q  PACKETS/S  MBIT/S  POLLS/S  EMPTY/S  FROM MEMORY/S  SYSCALLS/PKT  DROPS/S
tap0     0       100k  1000.0     3200       12          1.23M         0.031        0
    woken by: packet 120/s, timer 3.0/s
    system calls: read 3100/s
    also: checksums_completed 50.0k/s

SEND     Q  PACKETS/S  MBIT/S  KICKS/S  MERGED/S  NOT NEEDED/S  SYSCALLS/PKT  DROPS/S
veth0    0      99.9k   998.5     3125        10           7.0         0.031       50
    flushed for: full 25/s, immediate 3100/s
    system calls: send 3125/s
    also: retries 42/s
    errors: again 42/s
    dropped: backlog_full 50/s (50 in all), link_down 0/s (100 in all)
    held now: 50

WORKER   BUSY   IDLE  ASLEEP  TURNS/S  SLEEPS/S  SYSCALLS/S  LONGEST TURN
0       60.0%  30.0%   10.0%     500k       123         126         85 µs
    woken by: packet 120/s, spurious 3.0/s

DEVICE  WHAT THE KERNEL LOST, BESIDE THE BOOKS
tap0
    kernel_tx_dropped 12/s (12 in all)

BOOKS    RECEIVED  + CREATED  = SENT  + DROPPED  + HELD  + MERGED  DIFFERENCE
packets    101000          0  100800        150      50         0           0
)");
}

TEST(FormatStatsTest, FitsOneHundredColumns) {
  v1::StatsSnapshot snapshot = SecondSnapshot();
  for (v1::QueueStats& queue : *snapshot.mutable_queues()) {
    queue.set_port("fifteen-letters");
    queue.set_queue(15);
    (*queue.mutable_counters())["bytes"] = 99'999'000'000'000 / 8;
    for (const char* reason : {"no_forwarding", "port_removed", "port_down", "too_long"}) {
      (*queue.mutable_drops_by_reason())[reason] = 123'456'789'012;
    }
  }
  snapshot.mutable_books()->set_received(123'456'789'012);
  snapshot.mutable_books()->set_sent(123'456'789'012);
  for (const absl::string_view line :
       absl::StrSplit(FormatStats(ComputeRates(v1::StatsSnapshot(), snapshot)), '\n')) {
    EXPECT_LE(DisplayWidth({line.data(), line.size()}), 100U) << line;
  }
}

TEST(FormatStatsTest, ARestartIsSaid) {
  v1::StatsSnapshot after = SecondSnapshot();
  after.set_boot_id("two");
  EXPECT_NE(FormatStats(ComputeRates(FirstSnapshot(), after)).find("started anew"),
            std::string::npos);
}

}  // namespace
}  // namespace wakegate
