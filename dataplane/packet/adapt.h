// Makes packets fit the port that they leave by, so that any two port kinds work together.
#ifndef DATAPLANE_PACKET_ADAPT_H_
#define DATAPLANE_PACKET_ADAPT_H_

#include <rte_mempool.h>

#include "absl/functional/function_ref.h"
#include "dataplane/packet/batch.h"
#include "dataplane/packet/transmit_capabilities.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// Takes all packets of `in`, empties it, and gives to `transmit` batches of packets that fit
// `capabilities`, in order. Checksums are completed, packets that ask for segmentation are
// segmented (TCP and UDP over IPv4 and IPv6), chains are made one mbuf, each only where the port
// cannot do it. `transmit` takes all packets of the batch it is given and empties it. `ledger` is
// that of the queue the packets came from. `pool` is where new buffers come from.
//
// What cannot be made to fit is dropped by name and freed:
// - kRunt: shorter than an Ethernet header.
// - kTooLong: longer than the MTU behind its Ethernet header and up to two VLAN tags; segments that
//   would be; for a port without chains also what is longer than one buffer of the pool.
// - kBadOffload: the request does not fit the packet, or asks for more than kMaxSegments.
// - kUnsupportedOffload: segmentation within a tunnel, or of what is not IP.
// - kNoBuffer: the pool has too few buffers to segment or copy; a packet is segmented as a whole or
//   not at all.
//
// Worker only. The common case, where every packet fits already, costs a look at each mbuf.
void Adapt(Batch& in, const TransmitCapabilities& capabilities, rte_mempool* pool,
           ledger::RxQueueBlock& ledger, absl::FunctionRef<void(Batch&)> transmit);

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_ADAPT_H_
