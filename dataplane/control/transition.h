// From one configuration to another: all of it or nothing.
#ifndef DATAPLANE_CONTROL_TRANSITION_H_
#define DATAPLANE_CONTROL_TRANSITION_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "dataplane/control/port_set.h"
#include "gateway/config/diff.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// One use. Control thread. The order is what makes it safe: first all that can be refused and taken
// back, then, where a new port needs the device of an old one, that exchange, and last what cannot
// fail. Ports that stay as they are carry traffic all the while.
class Transition {
 public:
  // Both configurations are valid and have their defaults. `ports` run `running`. `given_up`:
  // whether nobody waits for it any more.
  Transition(PortSet& ports, const v1::GatewayConfig& running, const v1::GatewayConfig& desired,
             absl::FunctionRef<bool()> given_up);

  // DEADLINE_EXCEEDED where it was given up before the exchange. On error `ports` run `running` as
  // before; a port that had to be closed for the attempt and cannot be opened again is left closed,
  // with its failure.
  absl::Status Run();

 private:
  absl::Status Try();
  absl::Status Open(const std::string& name);
  absl::Status Modify(const std::string& name);
  absl::Status MoveQueues();
  absl::Status Exchange(const std::vector<std::string>& close,
                        const std::vector<std::string>& open);
  void Undo();

  const v1::Port& Desired(const std::string& name) const;
  // Ports to close before others can be opened, because both want the same device.
  std::set<std::string> PortsInTheWay() const;

  PortSet& ports_;
  const v1::GatewayConfig& running_;
  const v1::GatewayConfig& desired_;
  const absl::FunctionRef<bool()> given_up_;
  const PortPlan plan_;
  std::vector<std::string> opened_;
  std::vector<std::function<void()>> undo_;  // To be called from the back.
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_TRANSITION_H_
