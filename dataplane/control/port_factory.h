// Opens a port of any kind: the explicit list of kinds.
#ifndef DATAPLANE_CONTROL_PORT_FACTORY_H_
#define DATAPLANE_CONTROL_PORT_FACTORY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "dataplane/ports/memory/cable.h"
#include "dataplane/ports/port.h"
#include "wakegate/v1/config.pb.h"

namespace wakegate {

// Control thread.
class PortFactory {
 public:
  // `config` is valid and has its defaults. Opens what its kind says; MTU and the like are left as
  // the device has them.
  absl::StatusOr<std::unique_ptr<Port>> Open(const v1::Port& config,
                                             const PortEnvironment& environment);
  // Whether there is what `config` names, as far as can be told while a port has it: asked before
  // that one is closed. Changes nothing.
  static absl::Status Check(const v1::Port& config);
  // Where memory ports are plugged in; tests take the other end here.
  CableRegistry& cables() { return cables_; }

 private:
  CableRegistry cables_;
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_PORT_FACTORY_H_
