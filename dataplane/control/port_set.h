// The ports of the gateway, and the safe way to take them into service and out of it.
#ifndef DATAPLANE_CONTROL_PORT_SET_H_
#define DATAPLANE_CONTROL_PORT_SET_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "dataplane/control/placement.h"
#include "dataplane/control/plan_builder.h"
#include "dataplane/control/port_record.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// Control thread.
class PortSet {
 public:
  explicit PortSet(const PortSurroundings& surroundings) : surroundings_(surroundings) {}
  // Takes all ports out of service; what they hold is sent where the peers take it, else dropped.
  ~PortSet();
  PortSet(const PortSet&) = delete;
  PortSet& operator=(const PortSet&) = delete;

  const PortRecords& records() const { return records_; }
  PortRecord& record(const std::string& name) { return *records_.at(name); }

  // Opens a closed port, unless another one has its device already, under whatever name:
  // ALREADY_EXISTS.
  absl::Status Open(PortRecord& record) const;
  // Adds a port and opens it; it has no service yet. `gateway_config`: of which it is a part. On
  // error there is no such port.
  absl::Status Add(const v1::Port& config, const v1::GatewayConfig& gateway_config);
  // Likewise, but where it cannot be opened it is there, closed, with its failure.
  absl::Status AddEvenIfClosed(const v1::Port& config, const v1::GatewayConfig& gateway_config);
  // Puts back a port that Remove gave.
  void PutBack(std::unique_ptr<PortRecord> record);
  // Takes a port away that has no service.
  std::unique_ptr<PortRecord> Remove(const std::string& name);

  // Tunes the ports' queues by `config`, and makes the workers run the ports by their service and
  // `config`. On error they run what they ran: Publish that again.
  absl::Status Publish(const v1::GatewayConfig& config);

  // Gives queue pairs to other workers. Their traffic stops for some hundred microseconds, while
  // which it waits in their devices; no packet is lost by it, and flows stay in order. `config` is
  // what runs; Publish after it, for what a queue is tuned by depends on its worker. On error all
  // are where they were.
  absl::Status Move(const std::vector<QueueMove>& moves, const v1::GatewayConfig& config);

  // Takes ports out of service, without losing what they hold if their peers take it soon, and
  // closes them. What is left is dropped for `reason`. `config` is what the others go on with.
  void Retire(const std::vector<std::string>& names, const v1::GatewayConfig& config,
              ledger::DropReason reason);

 private:
  // Where the queues of a new port should go.
  std::vector<PlaceWish> Wishes(const v1::Port& config,
                                const v1::GatewayConfig& gateway_config) const;
  // The worker that has queue `queue` of a port, or is to have it; nullopt: not placed yet.
  std::optional<uint32_t> WorkerOf(const v1::Port& config, uint32_t queue,
                                   const v1::GatewayConfig& gateway_config) const;
  // Publish but for the tuning, which asks the kernel about each queue: for what is to be quick.
  absl::Status PublishPlans(const v1::GatewayConfig& config);
  void TuneQueues(const v1::GatewayConfig& config);
  void SetService(const std::vector<std::string>& names, PortRecord::Service service);
  void SetStage(const std::vector<QueueMove>& moves, PortRecord::Stage stage);
  // Until all that is in hand-over rings now has been taken. False: it takes too long.
  bool WaitUntilHandedOver();
  // Until the named ports hold nothing, for a short time at most.
  void WaitUntilSent(const std::vector<std::string>& names);

  const PortSurroundings surroundings_;
  PortRecords records_;
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_PORT_SET_H_
