// Tells a worker that an idle queue has a packet again, without looking into the queue.
#ifndef DATAPLANE_TRIGGER_TRIGGER_H_
#define DATAPLANE_TRIGGER_TRIGGER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

enum class TriggerKind : uint8_t {
  kNone,    // The queue is looked into in every turn.
  kUring,   // A one-shot poll of io_uring.
  kSignal,  // A real-time signal (fcntl(2), F_SETSIG).
  kEpoll,   // An epoll instance for all idle queues of a worker.
};

// "none", "io_uring", "signal", "epoll": as the knob rx_trigger has it.
constexpr std::string_view TriggerKindName(TriggerKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "io_uring", "signal", "epoll"};
  return kNames[static_cast<std::size_t>(kind)];
}

// Watches the files of queues that have left the worker's scan. Each watch is one shot: it ends
// when it fires. A queue is known by its slot, a number that its worker gives it.
//
// While a queue is busy its trigger is off: it would cost the queue's senders, and the worker, some
// microseconds for each packet. All functions: the worker's thread.
class Trigger {
 public:
  virtual ~Trigger() = default;
  Trigger(const Trigger&) = delete;
  Trigger& operator=(const Trigger&) = delete;

  // Watches `fd`, then looks. False: it cannot be watched, or it is readable now; it is not watched
  // then. `fd` stays open until the watch has ended. Counts in `ledger`, the queue's.
  virtual bool Arm(uint32_t slot, int fd, ledger::RxQueueBlock& ledger) = 0;
  // Ends the watch of a slot that is armed and has not been visited by TakeFired.
  virtual void Disarm(uint32_t slot, ledger::RxQueueBlock& ledger) = 0;

  // A load or two.
  bool MayHaveFired() const {
    return (__atomic_load_n(flags_, __ATOMIC_RELAXED) & flag_mask_) != 0 ||
           __atomic_load_n(tail_, __ATOMIC_RELAXED) != tail_seen_;
  }
  // Calls `visit(slot)` for each watch that has fired.
  virtual void TakeFired(absl::FunctionRef<void(uint32_t)> visit) = 0;

  // How often an empty queue is looked into before it is worth arming: a multiple of what a look
  // costs makes up for arming and firing.
  virtual uint32_t empty_looks_before_arming() const = 0;
  // How often to ask MayHaveFired: each so many turns of the worker; a power of two.
  virtual uint64_t turns_between_looks() const { return 1; }

 protected:
  Trigger() = default;

  // What MayHaveFired reads; to be set by the constructor.
  const uint32_t* flags_ = nullptr;
  uint32_t flag_mask_ = 0;
  const uint32_t* tail_ = nullptr;
  uint32_t tail_seen_ = 0;
};

}  // namespace wakegate

#endif  // DATAPLANE_TRIGGER_TRIGGER_H_
