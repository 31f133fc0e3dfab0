// The ports of the gateway, and the safe way to take them into service and out of it.
#ifndef DATAPLANE_CONTROL_PORT_SET_H_
#define DATAPLANE_CONTROL_PORT_SET_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
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
  // Adds a port and opens it; it has no service yet. On error there is no such port.
  absl::Status Add(const v1::Port& config);
  // Likewise, but where it cannot be opened it is there, closed, with its failure.
  absl::Status AddEvenIfClosed(const v1::Port& config);
  // Puts back a port that Remove gave.
  void PutBack(std::unique_ptr<PortRecord> record);
  // Takes a port away that has no service.
  std::unique_ptr<PortRecord> Remove(const std::string& name);

  // Makes the workers run the ports by their service and `config`. On error they run what they ran.
  absl::Status Publish(const v1::GatewayConfig& config);

  // Takes ports out of service, without losing what they hold if their peers take it soon, and
  // closes them. What is left is dropped for `reason`. `config` is what the others go on with.
  void Retire(const std::vector<std::string>& names, const v1::GatewayConfig& config,
              ledger::DropReason reason);

 private:
  void SetService(const std::vector<std::string>& names, PortRecord::Service service);
  // Until the named ports hold nothing, for a short time at most.
  void WaitUntilSent(const std::vector<std::string>& names);

  const PortSurroundings surroundings_;
  PortRecords records_;
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_PORT_SET_H_
