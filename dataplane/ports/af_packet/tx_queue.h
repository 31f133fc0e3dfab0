// Sends through a network device.
#ifndef DATAPLANE_PORTS_AF_PACKET_TX_QUEUE_H_
#define DATAPLANE_PORTS_AF_PACKET_TX_QUEUE_H_

#include <rte_mbuf.h>

#include <cstdint>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/packet/batch.h"
#include "dataplane/ports/af_packet/socket.h"
#include "dataplane/ports/af_packet/tx_ring.h"
#include "dataplane/ports/backlog.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// A TxQueue (queue_concepts.h). Packets wait in the ring, and behind it in a backlog, until Flush
// has the kernel send them, all that are in the ring with one system call. A packet that is larger
// than a frame of the ring, or asks for segmentation, has a call of its own, in its turn.
//
// What the ledger says: a packet is held until the kernel has taken it, then sent, whatever the
// device does with it later. So a packet that waits when the device goes down or away, or when the
// queue is removed, is dropped by that name, not sent and not lost. A packet that the device or its
// queueing discipline refuses is tried again for a moment, then dropped as kDeviceRefused.
class AfPacketTxQueue {
 public:
  // `transmit`: of OpenTransmitSocket. `large`: of OpenLargeTransmitSocket. `room`: an epoll
  // instance with nothing in it. `interface_index`: of their device. `ledger`: outlives the queue.
  AfPacketTxQueue(PacketSocket transmit, FileDescriptor large, FileDescriptor room,
                  int interface_index, ledger::TxQueueBlock& ledger);
  // Drops what is held as kPortRemoved.
  ~AfPacketTxQueue();
  AfPacketTxQueue(const AfPacketTxQueue&) = delete;
  AfPacketTxQueue& operator=(const AfPacketTxQueue&) = delete;

  // Makes no system call, unless the backlog is full.
  void Send(Batch& in, Tsc now);
  TxResult Flush(Tsc now);
  void DropHeld(ledger::DropReason reason);
  bool Arm();
  void Disarm();
  int wait_fd() const { return room_.get(); }

 private:
  uint32_t held() const { return ring_.waiting() + backlog_.size(); }
  TxResult Push(Tsc now);
  TxResult Later(Tsc now);
  void FillRing();
  int SendRing();
  int SendFront();
  void CountTaken(uint64_t packets, uint64_t bytes);
  bool WaitsForRefused();
  void DropFirst();

  TxRing ring_;
  FileDescriptor large_;
  FileDescriptor room_;
  const int interface_index_;
  ledger::TxQueueBlock& ledger_;
  const Tsc cycles_per_microsecond_;
  Backlog backlog_;
  Tsc retry_at_ = 0;        // Not before.
  Tsc stuck_since_ = 0;     // The first Flush that could not send all; 0: none.
  uint32_t patience_;       // See WaitsForRefused.
  bool ring_first_ = true;  // Whether the packet whose turn it is waits in the ring.
  bool armed_ = false;      // Whether the socket that waits for room is in room_.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_PACKET_TX_QUEUE_H_
