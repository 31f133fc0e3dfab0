#include "dataplane/ports/ethdev/device_events.h"

#include <cerrno>
#include <thread>

namespace wakegate {
namespace {

// Waits for the end of a call that is under way.
void Unregister(uint16_t device, rte_eth_event_type event, rte_eth_dev_cb_fn callback, void* self) {
  while (rte_eth_dev_callback_unregister(device, event, callback, self) == -EAGAIN) {
    std::this_thread::yield();
  }
}

}  // namespace

// Registering fails for want of a few bytes only. Then the housekeeping finds out.
DeviceEvents::DeviceEvents(uint16_t device, std::atomic<bool>& carrier)
    : device_(device), carrier_(carrier) {
  rte_eth_dev_callback_register(device_, RTE_ETH_EVENT_INTR_RMV, Removed, this);
  rte_eth_dev_callback_register(device_, RTE_ETH_EVENT_INTR_LSC, LinkChanged, this);
}

DeviceEvents::~DeviceEvents() {
  Unregister(device_, RTE_ETH_EVENT_INTR_RMV, Removed, this);
  Unregister(device_, RTE_ETH_EVENT_INTR_LSC, LinkChanged, this);
}

int DeviceEvents::Removed(uint16_t, rte_eth_event_type, void* self, void*) {
  static_cast<DeviceEvents*>(self)->removed_.store(true, std::memory_order_relaxed);
  return 0;
}

int DeviceEvents::LinkChanged(uint16_t device, rte_eth_event_type, void* self, void*) {
  rte_eth_link link = {};
  if (rte_eth_link_get_nowait(device, &link) != 0) return 0;
  static_cast<DeviceEvents*>(self)->carrier_.store(link.link_status == RTE_ETH_LINK_UP,
                                                   std::memory_order_relaxed);
  return 0;
}

}  // namespace wakegate
