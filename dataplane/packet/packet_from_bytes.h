// Bytes from outside into packet buffers.
#ifndef DATAPLANE_PACKET_PACKET_FROM_BYTES_H_
#define DATAPLANE_PACKET_PACKET_FROM_BYTES_H_

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <cstdint>
#include <span>

#include "dataplane/packet/headers.h"

namespace wakegate {

// A copy of `bytes`, at most kMaxPacketBytes, in one buffer of the pool or, where one is too small,
// a chain of them; without flags. Null where there are too few buffers. Any thread.
rte_mbuf* PacketFromBytes(std::span<const uint8_t> bytes, rte_mempool* pool);

}  // namespace wakegate

#endif  // DATAPLANE_PACKET_PACKET_FROM_BYTES_H_
