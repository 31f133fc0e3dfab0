// Receives what the host sends to one queue of a tap.
#ifndef DATAPLANE_PORTS_TAP_RX_QUEUE_H_
#define DATAPLANE_PORTS_TAP_RX_QUEUE_H_

#include <rte_mempool.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/packet/batch.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// An RxQueue (queue_concepts.h). Packets may be chains of up to 64 KB that ask for segmentation.
// One for which there is no buffer waits and is received later.
class TapRxQueue {
 public:
  static constexpr bool kFileTellsReadiness = true;

  // `queue`: this queue's own descriptor, of a tap as AttachTap leaves it. `never_ready_fd`: a file
  // that poll never reports, open as long as the queue. `pool`, `ledger`: outlive the queue.
  TapRxQueue(FileDescriptor queue, int never_ready_fd, rte_mempool* pool,
             ledger::RxQueueBlock& ledger);

  RxResult Receive(Batch& out);
  // Makes no system call.
  bool Arm();
  void Disarm() {}
  int wait_fd() const { return queue_.get(); }

 private:
  // What one Receive has done, for the ledger.
  struct Look {
    uint64_t reads = 0;
    uint64_t packets = 0;
    uint64_t bytes = 0;
  };

  RxResult ReceiveBurst(Batch& out, Look& look);
  bool MayReadOn(int error);
  bool TakeWaiting(Batch& out, Look& look);

  FileDescriptor queue_;
  int never_ready_fd_;
  rte_mempool* pool_;
  ledger::RxQueueBlock& ledger_;
  std::unique_ptr<uint8_t[]> buffer_;  // The header and the packet that were read last.
  std::size_t waiting_bytes_ = 0;      // Of buffer_, not received yet.
  bool gone_ = false;                  // The device.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_TAP_RX_QUEUE_H_
