// A configured port: what it shall be, what it is, and what belongs to it.
#ifndef DATAPLANE_CONTROL_PORT_RECORD_H_
#define DATAPLANE_CONTROL_PORT_RECORD_H_

#include <rte_mempool.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dataplane/control/placement.h"
#include "dataplane/control/port_factory.h"
#include "dataplane/control/worker_pool.h"
#include "dataplane/forwarding/handoff_ring.h"
#include "dataplane/ports/port.h"
#include "gateway/ledger/writer.h"
#include "wakegate/v1/config.pb.h"
#include "wakegate/v1/gateway.pb.h"

namespace wakegate {

// `status`; an error says of which port it is.
absl::Status WithName(const absl::Status& status, const std::string& name);

// What ports are made with. All of it outlives them.
struct PortSurroundings {
  PortFactory& factory;
  WorkerPool& workers;
  ledger::Writer& ledger;
  rte_mempool* pool;
  std::string run_dir;  // As in PortEnvironment.
};

// Control thread. Its device may fail and be opened again; its place, its counters and its
// hand-over rings stay.
class PortRecord {
 public:
  // Where a queue pair is on its way to another worker.
  enum class Stage {
    kInPlace,
    kPaused,    // Nothing is received from it, nor for it. Its owner still sends.
    kDetached,  // No worker has it.
  };

  struct QueuePair {
    Place place;
    Stage stage = Stage::kInPlace;
    ledger::RxQueueSlot rx_slot;
    ledger::TxQueueSlot tx_slot;
    // From other workers, by their index, to the transmit queue.
    std::map<uint32_t, std::unique_ptr<HandoffRing>> inbound;
  };

  // What plans do with its queues.
  enum class Service {
    kNone,      // Nothing. No plan names them.
    kSendOnly,  // What is held is still sent. Nothing is received, and nothing new is given to
                // them.
    kFull,
  };

  // Reserves all that the port needs of the gateway; its device is not open yet. `config` is valid
  // and has its defaults. `wishes`: where its queues should go, one for each.
  static absl::StatusOr<std::unique_ptr<PortRecord>> Create(const v1::Port& config,
                                                            std::span<const PlaceWish> wishes,
                                                            const PortSurroundings& surroundings);
  // Likewise closes it.
  ~PortRecord();
  PortRecord(const PortRecord&) = delete;
  PortRecord& operator=(const PortRecord&) = delete;

  const v1::Port& config() const { return config_; }
  const std::string& name() const { return config_.name(); }

  // Opens the device as the configuration says. It has no service yet. `admit` is asked before
  // anything of the device is changed; its error closes it again.
  absl::Status Open(absl::FunctionRef<absl::Status(const PortRecord&)> admit);
  // Closes it. No plan names its queues any more; what they hold is dropped for `reason`.
  void Close(ledger::DropReason reason) { Detach(reason).reset(); }
  // Likewise, but leaves it to the caller to destroy the port, on any thread: the kernel may take
  // its time. Null where it was closed.
  std::unique_ptr<Port> Detach(ledger::DropReason reason);
  // Null while it is closed.
  Port* port() { return port_.get(); }
  const Port* port() const { return port_.get(); }
  std::vector<QueuePair>& queues() { return queues_; }
  // For the plans that are built from now on.
  void set_service(Service service) { service_ = service; }
  Service service() const { return service_; }
  // Where packets of worker `from` for transmit queue `queue` go. Made at the first call.
  absl::StatusOr<HandoffRing*> InboundRing(uint32_t queue, uint32_t from);
  // Whether its transmit queues hold nothing, nor do the rings towards them.
  bool HoldsNothing();
  // Gives a queue pair that is detached, and whose inbound rings are empty, to another worker. On
  // error it stays with the one that had it.
  absl::Status MoveTo(uint32_t queue, uint32_t worker);

  // Changes the device from its configuration to `config`, which differs in what is live only. On
  // error it is as it was.
  absl::Status Modify(const v1::Port& config);
  // Takes a Modify back: the configuration and the device before it. Best effort.
  void Restore(const v1::Port& config, const DeviceState& device);

  // Reads the open device. True: what plans say of it, or what its queues are tuned by, has
  // changed. An error: it is unusable.
  absl::StatusOr<bool> Refresh();
  uint32_t mtu() const { return device_.mtu; }
  // As last read, while it is open.
  const DeviceState& device() const { return device_; }

  // Why it is closed although it should be open, until it is opened.
  void SetFailure(const absl::Status& failure) { failure_ = failure; }
  const absl::Status& failure() const { return failure_; }

  v1::PortStatus Status(const std::string& cross_connected_to) const;

 private:
  PortRecord(const v1::Port& config, const PortSurroundings& surroundings)
      : config_(config), surroundings_(surroundings) {}
  absl::Status Reserve(std::span<const PlaceWish> wishes);
  void CountKernel();

  v1::Port config_;
  const PortSurroundings surroundings_;
  ledger::PortSlot slot_;
  std::vector<QueuePair> queues_;
  std::unique_ptr<Port> port_;  // After what it uses.
  DeviceState device_;
  Service service_ = Service::kNone;
  KernelCounters counted_;  // Of the open device: what is in the ledger already.
  bool was_open_ = false;
  absl::Status failure_;
};

}  // namespace wakegate

#endif  // DATAPLANE_CONTROL_PORT_RECORD_H_
