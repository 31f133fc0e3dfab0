// Keeps the callbacks of drivers, which run on DPDK's interrupt thread, apart from workers and from
// control.
//
// Once its peer has gone, net_memif (22.11) unmaps its rings on that thread, whoever is in them,
// and it may be called back for a device that control has stopped meanwhile. DPDK has no place to
// prevent either. So driver_callbacks.cc defines the functions by which drivers register their
// callbacks (rte_interrupts.h): a library that is loaded finds those of the program before those of
// librte_eal. Callbacks of other drivers run as ever.
#ifndef DATAPLANE_PORTS_ETHDEV_DRIVER_CALLBACKS_H_
#define DATAPLANE_PORTS_ETHDEV_DRIVER_CALLBACKS_H_

#include <mutex>
#include <string_view>

#include "dataplane/ports/ethdev/gate.h"

namespace wakegate {

// Whether the callbacks of a driver are kept apart. `driver`: as in rte_eth_dev_info.
bool AreCallbacksKeptApart(std::string_view driver);

// While it lives, no such callback runs. For control, while it starts, stops or closes a device;
// not while it waits for the interrupt thread, which may be waiting for this.
class DriverCallbacksHeld {
 public:
  DriverCallbacksHeld();

  // From here on the gate, which is open, is closed whenever such a callback runs.
  void CloseDuringCallbacks(Gate& gate);
  // No longer. Does nothing where that was not so.
  void LeaveAlone(Gate& gate);

 private:
  const std::lock_guard<std::mutex> lock_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_DRIVER_CALLBACKS_H_
