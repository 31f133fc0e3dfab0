// Where the packets of a receive queue go.
#ifndef DATAPLANE_FORWARDING_DESTINATION_H_
#define DATAPLANE_FORWARDING_DESTINATION_H_

#include <cstdint>

#include "dataplane/forwarding/handoff_ring.h"
#include "dataplane/packet/transmit_capabilities.h"
#include "gateway/ledger/names.h"

namespace wakegate {

// Decided by control, once for each configuration.
struct Destination {
  enum class Kind : uint8_t {
    kNowhere,   // Dropped for `reason`.
    kOwnQueue,  // Sent by the worker that received them, on its sender number `sender`.
    kHandoff,   // Given to the worker that owns the transmit queue, through `ring`.
  };
  Kind kind = Kind::kNowhere;
  ledger::DropReason reason = ledger::DropReason::kNoForwarding;
  uint32_t sender = 0;
  HandoffRing* ring = nullptr;
  TransmitCapabilities capabilities;  // Of the port that they leave by.
};

}  // namespace wakegate

#endif  // DATAPLANE_FORWARDING_DESTINATION_H_
