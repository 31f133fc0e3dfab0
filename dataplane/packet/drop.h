// The one way in which packets end without being sent: counted by name, then freed.
#ifndef DATAPLANE_PACKET_DROP_H_
#define DATAPLANE_PACKET_DROP_H_

#include <rte_mbuf.h>

#include <span>

#include "gateway/ledger/layout.h"

namespace wakegate {

// `ledger`: an RxQueueBlock or TxQueueBlock, of the queue that the packets were last counted on.
// Its writing thread.
template <class QueueBlock>
void DropPackets(std::span<rte_mbuf*> packets, ledger::DropReason reason, QueueBlock& ledger) {
  if (packets.empty()) return;
  ledger.drops[reason].Add(packets.size());
  rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(packets.size()));
}

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_DROP_H_
