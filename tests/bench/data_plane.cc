#include "tests/bench/data_plane.h"

#include <rte_cycles.h>

#include <cstdio>
#include <cstdlib>

#include "dataplane/control/cpus.h"
#include "gateway/config/text.h"

namespace wakegate::bench {

DataPlane::DataPlane(rte_mempool* pool)
    : ledger_(*ledger::Writer::Create(folder_.path(), "bench", rte_get_tsc_hz())),
      reader_(*ledger::Reader::Open(ledger_->path())),
      workers_(*WorkerPool::Start({ThreadCpus().back()}, DefaultIdleSettings(), pool, *ledger_)),
      gateway_(std::make_unique<Gateway>(PortSurroundings{factory_, *workers_, *ledger_, pool},
                                         v1::DataplaneStatus(), folder_.path() + "/state.json")) {}

void DataPlane::Apply(const std::string& yaml) {
  const absl::StatusOr<v1::GatewayConfig> config = ParseConfig(yaml, "bench");
  const absl::Status status =
      config.ok() ? gateway_->Apply(*config, ++generation_) : config.status();
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(EXIT_FAILURE);
}

uint64_t DataPlane::Turns() const { return WorkerCount(ledger::WorkerCounter::kIterations); }

uint64_t DataPlane::BusyCycles() const { return WorkerCount(ledger::WorkerCounter::kBusyCycles); }

uint64_t DataPlane::WorkerCount(ledger::WorkerCounter counter) const {
  const ledger::Snapshot snapshot = reader_->Take();
  for (const ledger::SlotSnapshot& slot : snapshot.slots) {
    if (slot.identity().kind == ledger::SlotKind::kWorker)
      return slot.worker().counters[counter].Get();
  }
  return 0;
}

}  // namespace wakegate::bench
