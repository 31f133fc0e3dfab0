// Single packets with random pauses through a sleeping worker: no wakeup is ever lost.
//
//   single_packets_test --seconds N [--histogram FILE]
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "CLI/CLI.hpp"
#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "dataplane/netdev/namespace_for_test.h"
#include "tests/soak/latency_histogram.h"
#include "tests/soak/sleeping_gateway.h"

namespace wakegate::testing {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using Clock = std::chrono::steady_clock;

// A lost wakeup ends with the longest sleep, seconds later; the machine's own delays are shorter.
constexpr std::chrono::milliseconds kLongest(10);

struct {
  int seconds = 20;
  std::string histogram;
} flags;

class SinglePacketsTest : public ::testing::TestWithParam<IdleMode> {
 protected:
  void SetUp() override { EnterNewNetworkNamespace(); }
};

std::string NameOf(IdleMode mode) { return mode == IdleMode::kAdaptive ? "Adaptive" : "Interrupt"; }

INSTANTIATE_TEST_SUITE_P(Modes, SinglePacketsTest,
                         ::testing::Values(IdleMode::kAdaptive, IdleMode::kInterrupt),
                         [](const auto& test) { return NameOf(test.param); });

void Keep(const std::string& title, const LatencyHistogram& histogram) {
  const std::string text = absl::StrCat(title, ", ", histogram.count(), " packets, the longest ",
                                        duration_cast<microseconds>(histogram.longest()).count(),
                                        " us\n", histogram.ToTable());
  std::fputs(text.c_str(), stdout);
  if (flags.histogram.empty()) return;
  std::ofstream file(flags.histogram, std::ios::app);
  file << text;
  EXPECT_TRUE(file.flush().good()) << flags.histogram;
}

TEST_P(SinglePacketsTest, NoneTakesLongerThanTheMachineDoes) {
  SleepingGateway gateway(GetParam());
  ASSERT_FALSE(HasFailure());
  LatencyHistogram passages;
  LatencyHistogram machine;
  absl::BitGen random;
  const uint64_t sleeps = gateway.sleeps();
  // Half of the time for each mode.
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(flags.seconds * 500);
  while (Clock::now() < end) {
    // As many below as above the time for which an adaptive worker spins, 50 us.
    const auto pause = microseconds(1 << absl::Uniform(random, 0, 15));
    std::this_thread::sleep_for(pause +
                                microseconds(absl::Uniform<int64_t>(random, 0, pause.count())));
    const auto path = absl::Uniform<std::size_t>(random, 0, gateway.paths());
    const std::optional<Passage> passage = gateway.Pass(path);
    ASSERT_TRUE(passage.has_value()) << "packet " << passages.count() << " never arrived";
    passages.Add(passage->cause, passage->took);
    machine.Add("machine", passage->kept_from_running);
    EXPECT_LT(passage->took, kLongest)
        << "packet " << passages.count() << " after a pause of " << pause.count() << " us, "
        << passage->cause << "; the machine kept us from running for "
        << passage->kept_from_running.count() << " ns of it";
  }
  Keep(absl::StrCat(NameOf(GetParam()), ": packets by the wakes of the worker on their way"),
       passages);
  Keep("Taken off: the time in which the machine did not run us", machine);
  EXPECT_GT(gateway.sleeps(), sleeps + passages.count() / 10) << "it was a sleeping worker";
}

}  // namespace

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  CLI::App app("Sends single packets with random pauses through a sleeping worker.");
  if (const char* folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR")) {
    flags.histogram = absl::StrCat(folder, "/single_packets.txt");
  }
  app.add_option("--seconds", flags.seconds, "How long, all modes together")
      ->check(CLI::Range(2, 86'400));
  app.add_option("--histogram", flags.histogram, "Where the histogram is added to");
  CLI11_PARSE(app, argc, argv);
  return RUN_ALL_TESTS();
}

}  // namespace wakegate::testing

int main(int argc, char** argv) { return wakegate::testing::Main(argc, argv); }
