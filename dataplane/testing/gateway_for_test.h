// A whole data plane within a test: workers, ledger and ports, without the gRPC service.
#ifndef DATAPLANE_TESTING_GATEWAY_FOR_TEST_H_
#define DATAPLANE_TESTING_GATEWAY_FOR_TEST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "dataplane/control/gateway.h"
#include "dataplane/control/port_factory.h"
#include "dataplane/control/worker_pool.h"
#include "dataplane/testing/eal_for_test.h"
#include "gateway/files/temporary_folder.h"
#include "gateway/ledger/books.h"
#include "gateway/ledger/reader.h"
#include "gateway/ledger/writer.h"

namespace wakegate::testing {

struct GatewayOptions {
  uint32_t workers = 1;  // Placed on this process's CPUs in turn.
  IdleMode idle_mode = IdleMode::kPoll;
  uint32_t buffers = 8191;
};

// As the knob idle_policy has it.
std::string IdleModeName(IdleMode mode);

// Main thread. A test that holds one fails unless, when it ends, the books balance and all buffers
// are back in the pool.
class GatewayForTest {
 public:
  explicit GatewayForTest(const GatewayOptions& options = {});
  ~GatewayForTest();
  GatewayForTest(const GatewayForTest&) = delete;
  GatewayForTest& operator=(const GatewayForTest&) = delete;

  // Applies YAML (config.proto) as the next generation, with the idle mode of the options unless it
  // sets another.
  absl::Status Apply(std::string_view yaml);
  Gateway& gateway() { return *gateway_; }
  // Ends the data plane like a crash does, as far as its state is concerned, and starts it again
  // with the same state file, restored.
  void Restart();

  v1::PortStatus PortStatus(const std::string& port);
  // Where a test plugs in to be the other end of a memory port.
  CableRegistry& cables() { return factory_->cables(); }
  rte_mempool* pool() { return pool_.get(); }

  ledger::Snapshot TakeSnapshot() const { return reader_->Take(); }
  // Sums over the queues of a port.
  uint64_t Received(const std::string& port) const;
  uint64_t Sent(const std::string& port) const;
  uint64_t Dropped(const std::string& port, ledger::DropReason reason) const;
  // What is counted of the port's device.
  uint64_t Count(const std::string& port, ledger::PortCounter counter) const;
  // The sum over all workers.
  uint64_t Count(ledger::WorkerCounter counter) const;
  // Waits until nothing moves any more; fails unless the books balance then.
  void ExpectBooksBalance() const;

 private:
  void Start();
  void Stop();

  const GatewayOptions options_;
  TemporaryFolder folder_{"/dev/shm"};  // As in production a tmpfs: nothing waits for a disk.
  PoolForTest pool_;
  std::unique_ptr<ledger::Writer> ledger_;
  std::unique_ptr<ledger::Reader> reader_;
  std::unique_ptr<WorkerPool> workers_;
  std::unique_ptr<PortFactory> factory_;
  std::unique_ptr<Gateway> gateway_;
  uint64_t generation_ = 0;
};

}  // namespace wakegate::testing

#endif  // DATAPLANE_TESTING_GATEWAY_FOR_TEST_H_
