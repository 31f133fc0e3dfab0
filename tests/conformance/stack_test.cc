// TCP and UDP between two IP stacks whose devices are as the kernel makes them: partial checksums
// and packets to segment included.
#include <memory>
#include <optional>

#include "tests/conformance/conformance_test.h"
#include "tests/conformance/stream.h"

namespace wakegate::testing {
namespace {

class StackTest : public PairTest {
 protected:
  void Start(IdleMode mode) {
    bed_.emplace(GatewayOptions{.workers = 2, .idle_mode = mode});
    bed_->AddWithKernel("a", from());
    bed_->AddWithKernel("b", to());
    bed_->Connect("a", "b");
    bed_->PlaceApart("a", "b");
    bed_->Apply();
    client_ = bed_->MakeIpStack("a", 1);
    server_ = bed_->MakeIpStack("b", 2);
  }
  void TearDown() override {
    for (const IpStack* stack : {client_.get(), server_.get()}) {
      EXPECT_EQ(stack->Counter("Tcp", "InCsumErrors"), 0U);
      EXPECT_EQ(stack->Counter("Tcp", "InErrs"), 0U);
      EXPECT_EQ(stack->Counter("Udp", "InCsumErrors"), 0U);
      EXPECT_EQ(stack->Counter("Udp6", "InCsumErrors"), 0U);
    }
  }

  std::optional<Testbed> bed_;
  std::unique_ptr<IpStack> client_;
  std::unique_ptr<IpStack> server_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, StackTest, AllPairs(), KindName());

constexpr IpVersion kVersions[] = {IpVersion::kIpv4, IpVersion::kIpv6};

TEST_P(StackTest, TcpStreamsArriveUnchangedBothWays) {
  Start(IdleMode::kPoll);
  constexpr uint64_t kBytes = 16 << 20;
  for (const IpVersion version : kVersions) {
    ASSERT_NO_FATAL_FAILURE(ExchangeOverTcp(*client_, *server_, version, kBytes));
  }
}

// What the reader has not read yet stays as it was when it was sent, whatever comes behind it.
TEST_P(StackTest, AReaderThatIsLateReadsWhatWasSent) {
  Start(IdleMode::kInterrupt);
  constexpr uint64_t kBytes = 4 << 20;
  for (const IpVersion version : kVersions) {
    ASSERT_NO_FATAL_FAILURE(
        ExchangeOverTcp(*client_, *server_, version, kBytes, std::chrono::milliseconds(200)));
  }
}

TEST_P(StackTest, UdpDatagramsArriveUnchangedBothWays) {
  Start(IdleMode::kAdaptive);
  for (const IpVersion version : kVersions) {
    ASSERT_NO_FATAL_FAILURE(EchoOverUdp(*client_, *server_, version, /*datagrams=*/200));
    ASSERT_NO_FATAL_FAILURE(SendSegmentedUdp(*client_, *server_, version));
    ASSERT_NO_FATAL_FAILURE(SendSegmentedUdp(*server_, *client_, version));
  }
}

}  // namespace
}  // namespace wakegate::testing
