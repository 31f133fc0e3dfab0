// What control knows of a port of any kind. All functions: the control thread.
#ifndef DATAPLANE_PORTS_PORT_H_
#define DATAPLANE_PORTS_PORT_H_

#include <rte_mempool.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "dataplane/packet/transmit_capabilities.h"
#include "dataplane/ports/queue_tuning.h"
#include "dataplane/wakeup/any_queue.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// What a port is given when it is opened. The blocks are one for each queue pair, in order, and
// outlive the port.
struct PortEnvironment {
  rte_mempool* pool = nullptr;
  // For what a port has to find again after its process was killed; empty: nowhere.
  std::string run_dir = {};
  std::vector<ledger::RxQueueBlock*> rx_blocks;
  std::vector<ledger::TxQueueBlock*> tx_blocks;
};

// The state of the port's device as the kernel tells it.
struct DeviceState {
  bool admin_up = false;
  bool carrier = false;
  uint32_t mtu = 0;
  std::string mac_address;     // "02:00:00:00:00:01"; empty where there is none.
  std::string interface = {};  // As it is called now; empty where the kernel knows no device.
  std::string network_namespace = {};  // For people; empty: the gateway's own.
};

// The kernel's counts since the port was opened, as of the last ReadDevice; they only grow.
struct KernelCounters {
  uint64_t rx_packets = 0;
  uint64_t tx_packets = 0;
  uint64_t rx_dropped = 0;
  uint64_t tx_dropped = 0;
  uint64_t rx_errors = 0;
  uint64_t tx_errors = 0;
  uint64_t socket_dropped = 0;
  // XDP_STATISTICS, summed over the queues.
  uint64_t xdp_rx_dropped = 0;
  uint64_t xdp_rx_ring_full = 0;
  uint64_t xdp_fill_ring_empty = 0;
  uint64_t xdp_rx_invalid = 0;
  uint64_t xdp_tx_invalid = 0;
  uint64_t xdp_tx_ring_empty = 0;
};

class Port {
 public:
  // Closes the device. No worker uses its queues any more. Any thread, ports beside each other.
  virtual ~Port() = default;

  // Constant; one for each queue pair.
  virtual std::span<const AnyRxQueue> rx_queues() const = 0;
  virtual std::span<const AnyTxQueue> tx_queues() const = 0;
  // With `mtu` as in ReadDevice.
  virtual TransmitCapabilities transmit_capabilities(uint32_t mtu) const = 0;
  // The network device; 0 where the port has none.
  virtual uint32_t interface_index() const { return 0; }

  // Why a worker that polls the port never sleeps, for people: "net_null has no Rx interrupts".
  // Empty: it may.
  virtual std::string sleep_obstacle() const { return ""; }

  // How it works, where that depends on what the device and the kernel can do, for people:
  // "native, copies, multi-buffer". Empty: nothing to say.
  virtual std::string mode() const { return ""; }

  // Live, with workers polling: what cannot be had is left out, and BusyPollStatusOf says why.
  virtual void Tune(uint32_t /*queue*/, const QueueTuning& /*tuning*/) {}
  // Nullopt: the kind has no busy polling.
  virtual std::optional<BusyPollStatus> BusyPollStatusOf(uint32_t /*queue*/) const {
    return std::nullopt;
  }

  // Live, with workers polling. On error the device is as it was.
  virtual absl::Status SetAdminUp(bool up) = 0;
  virtual absl::Status SetMtu(uint32_t mtu) = 0;
  virtual absl::Status SetPromiscuous(bool promiscuous) = 0;
  // As in DeviceState. Asked only of kinds that have one in their configuration.
  virtual absl::Status SetMacAddress(const std::string& mac_address) {
    return absl::UnimplementedError(absl::StrCat("set MAC address to ", mac_address));
  }

  // The port is closed next and is not missed, since what it was opened for was refused: a device
  // that opening it has made, and that would stay, goes with it.
  virtual void ForgetMadeDevice() {}

  // An error: the device is gone or otherwise unusable, and the port should be opened again.
  virtual absl::StatusOr<DeviceState> ReadDevice() = 0;
  // They stay when the device is gone.
  virtual KernelCounters ReadKernelCounters() = 0;
  // All that the device's driver counts, by its own names. FAILED_PRECONDITION where it has no such
  // counters.
  virtual absl::StatusOr<std::map<std::string, uint64_t>> ReadDeviceStats() {
    return absl::FailedPreconditionError(
        "only ports of kind ethdev have a driver that counts by names");
  }
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_PORT_H_
