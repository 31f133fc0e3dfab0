#include "dataplane/testing/gateway_for_test.h"

#include <gtest/gtest.h>
#include <rte_cycles.h>

#include <chrono>
#include <thread>
#include <vector>

#include "dataplane/control/cpus.h"
#include "gateway/config/text.h"
#include "gateway/knobs/knobs.h"

namespace wakegate::testing {
namespace {

using ledger::SlotKind;
using ledger::SlotSnapshot;

template <class Value>
uint64_t SumOver(const ledger::Snapshot& snapshot, const std::string& port, Value&& value) {
  uint64_t sum = 0;
  for (const SlotSnapshot& slot : snapshot.slots) {
    if (port == slot.identity().port) sum += value(slot);
  }
  return sum;
}

// Unless it is set already.
void SetForAllWorkers(const std::string& knob, const std::string& value,
                      v1::GatewayConfig& config) {
  for (const v1::KnobSetting& setting : config.knobs()) {
    if (setting.knob() == knob) return;
  }
  v1::KnobSetting& setting = *config.add_knobs();
  setting.set_knob(knob);
  setting.set_value(value);
}

}  // namespace

std::string IdleModeName(IdleMode mode) {
  switch (mode) {
    case IdleMode::kPoll:
      return "poll";
    case IdleMode::kAdaptive:
      return "adaptive";
    case IdleMode::kInterrupt:
      return "interrupt";
  }
  return "";
}

GatewayForTest::GatewayForTest(const GatewayOptions& options)
    : options_(options), pool_(options.buffers) {
  Start();
}

GatewayForTest::~GatewayForTest() {
  ExpectBooksBalance();
  Stop();
}

void GatewayForTest::Start() {
  const std::vector<int> allowed = ThreadCpus();
  std::vector<int> cpus;
  for (uint32_t i = 0; i < options_.workers; ++i) {
    cpus.push_back(allowed[(allowed.size() - 1 + i) % allowed.size()]);
  }
  ledger_ = *ledger::Writer::Create(folder_.path(), "test", rte_get_tsc_hz());
  reader_ = *ledger::Reader::Open(ledger_->path());
  workers_ = *WorkerPool::Start(cpus, pool_.get(), *ledger_);
  factory_ = std::make_unique<PortFactory>();
  v1::DataplaneStatus status;
  for (uint32_t index = 0; index < workers_->size(); ++index) {
    status.add_workers()->set_worker(index);
  }
  gateway_ = std::make_unique<Gateway>(
      PortSurroundings{*factory_, *workers_, *ledger_, pool_.get(), folder_.path()}, status,
      folder_.path() + "/state.json");
}

void GatewayForTest::Stop() {
  gateway_.reset();
  workers_.reset();
  const ledger::Books books = ComputeBooks(reader_->Take());
  EXPECT_EQ(books.difference(), 0) << "after the stop: " << books.ToString();
  EXPECT_EQ(books.held, 0U) << books.ToString();
  factory_.reset();
  reader_.reset();
  ledger_.reset();
}

absl::Status GatewayForTest::Apply(std::string_view yaml) {
  absl::StatusOr<v1::GatewayConfig> config = ParseConfig(yaml, "test");
  if (!config.ok()) return config.status();
  SetForAllWorkers(kIdlePolicyKnob, IdleModeName(options_.idle_mode), *config);
  // Long enough for a lost wakeup to fail any test.
  SetForAllWorkers(kIdleLongestSleepKnob, "10s", *config);
  return gateway_->Apply(*config, ++generation_);
}

void GatewayForTest::Restart() {
  Stop();
  Start();
  gateway_->Restore();
}

v1::PortStatus GatewayForTest::PortStatus(const std::string& port) {
  const internal::v1::GetStateResponse state = gateway_->State();
  for (const v1::PortStatus& status : state.ports()) {
    if (status.name() == port) return status;
  }
  ADD_FAILURE() << "no port " << port;
  return {};
}

uint64_t GatewayForTest::Received(const std::string& port) const {
  return SumOver(TakeSnapshot(), port, [](const SlotSnapshot& slot) {
    return slot.identity().kind == SlotKind::kRxQueue
               ? slot.rx().counters[ledger::RxCounter::kPackets].Get()
               : 0;
  });
}

uint64_t GatewayForTest::Sent(const std::string& port) const {
  return SumOver(TakeSnapshot(), port, [](const SlotSnapshot& slot) {
    return slot.identity().kind == SlotKind::kTxQueue
               ? slot.tx().counters[ledger::TxCounter::kPackets].Get()
               : 0;
  });
}

uint64_t GatewayForTest::Dropped(const std::string& port, ledger::DropReason reason) const {
  return SumOver(TakeSnapshot(), port, [reason](const SlotSnapshot& slot) -> uint64_t {
    if (slot.identity().kind == SlotKind::kRxQueue) return slot.rx().drops[reason].Get();
    if (slot.identity().kind == SlotKind::kTxQueue) return slot.tx().drops[reason].Get();
    return 0;
  });
}

uint64_t GatewayForTest::Count(const std::string& port, ledger::PortCounter counter) const {
  return SumOver(TakeSnapshot(), port, [counter](const SlotSnapshot& slot) {
    return slot.identity().kind == SlotKind::kPort ? slot.port().counters[counter].Get() : 0;
  });
}

uint64_t GatewayForTest::Count(ledger::WorkerCounter counter) const {
  uint64_t sum = 0;
  const ledger::Snapshot snapshot = TakeSnapshot();
  for (const SlotSnapshot& slot : snapshot.slots) {
    if (slot.identity().kind == SlotKind::kWorker) sum += slot.worker().counters[counter].Get();
  }
  return sum;
}

void GatewayForTest::ExpectBooksBalance() const {
  ledger::Books before;
  ledger::Books books = ComputeBooks(TakeSnapshot());
  // Two seconds for packets on their way; then what is missing is lost.
  for (int i = 0; i < 100 && (books.difference() != 0 || before.received != books.received); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    before = books;
    books = ComputeBooks(TakeSnapshot());
  }
  EXPECT_EQ(books.difference(), 0) << books.ToString();
}

}  // namespace wakegate::testing
