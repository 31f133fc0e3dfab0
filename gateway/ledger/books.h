// Conservation: every packet that was received is sent, dropped by name, held or merged.
#ifndef GATEWAY_LEDGER_BOOKS_H_
#define GATEWAY_LEDGER_BOOKS_H_

#include <cstdint>
#include <string>

#include "gateway/ledger/reader.h"

namespace wakegate::ledger {

// Totals of the whole gateway, queues that no longer exist included.
struct Books {
  uint64_t received = 0;
  uint64_t created = 0;  // By segmentation, in excess of the packet that came in.
  uint64_t sent = 0;     // Accepted by the kernel or the ring.
  uint64_t dropped = 0;
  uint64_t held = 0;  // In hand-over rings, or waiting for a peer to have room.
  uint64_t merged = 0;

  // 0 at quiescence. While packets move it may be off by what moved during the snapshot.
  int64_t difference() const {
    return static_cast<int64_t>(received + created - sent - dropped - held - merged);
  }
  // "received 12 + created 0 = sent 10 + dropped 2 + held 0 + merged 0 (difference 0)".
  std::string ToString() const;
};

Books ComputeBooks(const Snapshot& snapshot);

}  // namespace wakegate::ledger

#endif  // GATEWAY_LEDGER_BOOKS_H_
