// A data plane without packets, for tests of mgmt: the internal service on its real socket, and a
// real ledger whose counters the test writes.
#ifndef MGMT_TESTING_FAKE_DATAPLANE_H_
#define MGMT_TESTING_FAKE_DATAPLANE_H_

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gateway/ledger/writer.h"
#include "grpcpp/grpcpp.h"
#include "wakegate/internal/v1/dataplane.grpc.pb.h"

namespace wakegate {

// Thread safe.
class FakeDataplane final : public internal::v1::DataplaneService::Service {
 public:
  static constexpr uint64_t kTscHz = 2'000'000'000;
  static constexpr uint32_t kWorkers = 2;  // That it says it has; one counts.

  // The slots of a port; it has one queue pair.
  struct PortSlots {
    ledger::RxQueueSlot rx;
    ledger::TxQueueSlot tx;
    ledger::PortSlot port;
  };

  // Not started.
  explicit FakeDataplane(std::string run_dir);
  ~FakeDataplane() override { Kill(); }

  // A process with this boot id comes, that has restored what was given with SetRunning, or what
  // ran in the last one.
  void Start(const std::string& boot_id);
  // It goes.
  void Kill();

  void SetRunning(const v1::GatewayConfig& config, uint64_t generation);
  // Applies fail with it, until OK is given.
  void RefuseApplies(absl::Status status);
  // Applies are answered with OK, and that is all.
  void IgnoreApplies();
  // Applies wait until they are released; after a change of mind they still happen.
  void HoldApplies();
  void ReleaseApplies();
  // From the next Apply on, GetState waits for it as in the real one, and the Apply for a GetState.
  void HoldAppliesUntilAsked();
  // The ledger that GetState names, instead of the real one.
  void SetLedgerPath(const std::string& path);

  // Applies that arrived, refused ones too.
  int applies() const;
  v1::GatewayConfig config() const;
  uint64_t generation() const;
  PortSlots& slots(const std::string& port);
  ledger::WorkerSlot& worker() { return worker_; }

 private:
  grpc::Status Apply(grpc::ServerContext* context, const internal::v1::ApplyRequest* request,
                     internal::v1::ApplyResponse* response) override;
  grpc::Status GetState(grpc::ServerContext* context, const internal::v1::GetStateRequest* request,
                        internal::v1::GetStateResponse* response) override;
  grpc::Status GetDeviceStats(grpc::ServerContext* context,
                              const internal::v1::GetDeviceStatsRequest* request,
                              internal::v1::GetDeviceStatsResponse* response) override;
  // With mutex_ held.
  void SetRunningLocked(const v1::GatewayConfig& config, uint64_t generation);

  const std::string run_dir_;
  std::unique_ptr<grpc::Server> server_;

  mutable std::mutex mutex_;  // Guards all below.
  std::condition_variable released_;
  std::string boot_id_;
  v1::GatewayConfig config_;
  uint64_t generation_ = 0;
  absl::Status refusal_;
  bool hold_ = false;
  bool until_asked_ = false;
  bool ignore_ = false;
  int applies_ = 0;
  std::string ledger_path_;
  std::unique_ptr<ledger::Writer> writer_;
  ledger::WorkerSlot worker_;
  std::map<std::string, PortSlots> slots_;
};

}  // namespace wakegate

#endif  // MGMT_TESTING_FAKE_DATAPLANE_H_
