// A data plane of one worker, to measure.
#ifndef TESTS_BENCH_DATA_PLANE_H_
#define TESTS_BENCH_DATA_PLANE_H_

#include <rte_mempool.h>

#include <cstdint>
#include <memory>
#include <string>

#include "dataplane/control/gateway.h"
#include "dataplane/control/port_factory.h"
#include "dataplane/control/worker_pool.h"
#include "gateway/files/temporary_folder.h"
#include "gateway/ledger/reader.h"
#include "gateway/ledger/writer.h"

namespace wakegate::bench {

// The process's EAL has been started. The worker is on the last CPU; the caller should be on
// another one.
class DataPlane {
 public:
  explicit DataPlane(rte_mempool* pool);

  // Ends the process with a text where the configuration is refused.
  void Apply(const std::string& yaml);
  CableRegistry& cables() { return factory_.cables(); }

  // Of the worker.
  uint64_t Turns() const;
  uint64_t BusyCycles() const;

 private:
  uint64_t WorkerCount(ledger::WorkerCounter counter) const;

  TemporaryFolder folder_;
  std::unique_ptr<ledger::Writer> ledger_;
  std::unique_ptr<ledger::Reader> reader_;
  std::unique_ptr<WorkerPool> workers_;
  PortFactory factory_;
  std::unique_ptr<Gateway> gateway_;
  uint64_t generation_ = 0;
};

}  // namespace wakegate::bench

#endif  // TESTS_BENCH_DATA_PLANE_H_
