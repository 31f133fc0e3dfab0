#include "dataplane/ports/ethdev/interrupt_thread.h"

#include <rte_alarm.h>

#include <future>
#include <memory>

namespace wakegate {

// Alarms are served by that thread, one after the other with all else.
void WaitForInterruptThread() {
  using Reached = std::promise<void>;
  const auto reach = [](void* reached) {
    const std::unique_ptr<Reached> own(static_cast<Reached*>(reached));
    own->set_value();
  };
  auto reached = std::make_unique<Reached>();
  const std::future<void> is_reached = reached->get_future();
  // Without memory for an alarm there is no way to wait.
  if (rte_eal_alarm_set(/*us=*/1, reach, reached.get()) != 0) return;
  (void)reached.release();  // The alarm owns it.
  is_reached.wait();
}

}  // namespace wakegate
