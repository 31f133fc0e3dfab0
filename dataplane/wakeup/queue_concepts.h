// What every queue of every port kind answers: is there work, who must be woken and when, may I
// sleep. The worker knows nothing else of a port.
//
// Sleeping is: arm all, look again, block once, disarm. Arm does the first two for its queue, in
// this order with a full fence between; the other way round loses a wakeup.
#ifndef DATAPLANE_WAKEUP_QUEUE_CONCEPTS_H_
#define DATAPLANE_WAKEUP_QUEUE_CONCEPTS_H_

#include <concepts>
#include <cstdint>
#include <utility>

#include "dataplane/packet/batch.h"
#include "gateway/ledger/names.h"

namespace wakegate {

// A moment in TSC cycles.
using Tsc = uint64_t;

enum class RxResult : uint8_t {
  // The queue is empty: EAGAIN, or the ring says so. Nothing else is this.
  kDrained,
  // There may be more: the batch is full or a budget is spent. Look again.
  kMore,
  // Packets wait, but a buffer or the like is missing. Look again; do not sleep.
  kRetryLater,
};

struct TxResult {
  enum class State : uint8_t {
    // Nothing is held and nobody has to be woken.
    kIdle,
    // Something is held until `at`; Flush then.
    kAt,
    // The peer has no room. Arm and sleep, or Flush again soon.
    kBlocked,
  };
  State state = State::kIdle;
  Tsc at = 0;

  static TxResult Idle() { return {}; }
  static TxResult At(Tsc at) { return {State::kAt, at}; }
  static TxResult Blocked() { return {State::kBlocked, 0}; }
};

// All functions: the worker that the queue is placed on, and no other thread.
template <class Q>
concept RxQueue = requires(Q queue, Batch& out) {
  // Appends packets until the batch is full or the queue is empty. Never blocks.
  { queue.Receive(out) } -> std::same_as<RxResult>;
  // Asks to be woken through wait_fd when a packet comes. False: not armed, a packet is there.
  { queue.Arm() } -> std::same_as<bool>;
  // Takes back Arm. Also allowed when not armed.
  { queue.Disarm() } -> std::same_as<void>;
  // Readable once armed and a packet has come. Constant.
  { queue.wait_fd() } -> std::same_as<int>;
};

// All functions: the worker that owns the queue, and no other thread.
template <class Q>
concept TxQueue = requires(Q queue, Batch& in, Tsc now) {
  // Takes all packets and empties the batch. What the peer has no room for is held, up to the
  // backlog, then dropped by name. The packets fit the port's TransmitCapabilities.
  { queue.Send(in, now) } -> std::same_as<void>;
  // Tries what is held, and wakes the peer if it must be woken and the policy says now.
  { queue.Flush(now) } -> std::same_as<TxResult>;
  // Drops all that is held, with that reason. For a queue that goes away.
  { queue.DropHeld(std::declval<ledger::DropReason>()) } -> std::same_as<void>;
  // As in RxQueue, for room instead of packets, where Flush said kBlocked.
  { queue.Arm() } -> std::same_as<bool>;
  { queue.Disarm() } -> std::same_as<void>;
  { queue.wait_fd() } -> std::same_as<int>;
};

}  // namespace wakegate

#endif  // DATAPLANE_WAKEUP_QUEUE_CONCEPTS_H_
