// What a device tells by itself.
#ifndef DATAPLANE_PORTS_ETHDEV_DEVICE_EVENTS_H_
#define DATAPLANE_PORTS_ETHDEV_DEVICE_EVENTS_H_

#include <rte_ethdev.h>

#include <atomic>
#include <cstdint>

namespace wakegate {

// Listens from beginning to end, on a thread of DPDK's. Control thread.
class DeviceEvents {
 public:
  // `device`: DPDK's port id; its device outlives this. `carrier`: kept up to date, where the
  // driver tells of the link.
  DeviceEvents(uint16_t device, std::atomic<bool>& carrier);
  ~DeviceEvents();
  DeviceEvents(const DeviceEvents&) = delete;
  DeviceEvents& operator=(const DeviceEvents&) = delete;

  // Whether it was pulled out.
  bool removed() const { return removed_.load(std::memory_order_relaxed); }

 private:
  static int Removed(uint16_t device, rte_eth_event_type event, void* self, void* result);
  static int LinkChanged(uint16_t device, rte_eth_event_type event, void* self, void* result);

  const uint16_t device_;
  std::atomic<bool>& carrier_;
  std::atomic<bool> removed_ = false;  // DPDK's thread writes, control reads.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_DEVICE_EVENTS_H_
