// Keeps the callbacks of drivers, which run on DPDK's interrupt thread, apart from workers and from
// control.
//
// Once its peer has gone, net_memif (22.11) unmaps its rings on that thread, whoever is in them,
// and it may be called back for a device that control has stopped meanwhile. DPDK has no place to
// prevent either. It also closes connections that it has registered, upon which DPDK ends the
// process. So driver_callbacks.cc defines the functions by which drivers register their
// callbacks (rte_interrupts.h): a library that is loaded finds those of the program before those of
// librte_eal. Callbacks of other drivers run as ever.
#ifndef DATAPLANE_PORTS_ETHDEV_DRIVER_CALLBACKS_H_
#define DATAPLANE_PORTS_ETHDEV_DRIVER_CALLBACKS_H_

#include <mutex>
#include <set>
#include <string_view>

#include "dataplane/ports/ethdev/gate.h"

namespace wakegate {

// While it lives, no such callback runs. For control, while it plugs in, starts, stops or closes a
// device; not while it waits for the interrupt thread, which may be waiting for this.
class DriverCallbacksHeld {
 public:
  // `device`: or its driver, as DPDK names them. With one whose callbacks are not kept apart this
  // holds nothing, and none of the below does anything.
  explicit DriverCallbacksHeld(std::string_view device);

  // From here on the gate, which is open, is closed whenever such a callback runs.
  void CloseDuringCallbacks(Gate& gate);
  // No longer. Does nothing where that was not so.
  void LeaveAlone(Gate& gate);

  // Those that the callbacks are registered with.
  std::set<void*> Arguments() const;
  // Takes back the callback that a driver leaves behind, and closes its file.
  void TakeBack(void* argument);

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_DRIVER_CALLBACKS_H_
