// Queues of any kind behind one type: one indirect call for a burst, none for a packet.
#ifndef DATAPLANE_WAKEUP_ANY_QUEUE_H_
#define DATAPLANE_WAKEUP_ANY_QUEUE_H_

#include <optional>

#include "dataplane/packet/batch.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "dataplane/wakeup/ready_word.h"

namespace wakegate {

// A receive queue whose readiness a word in memory tells.
template <class Q>
concept HasReadyWord = requires(const Q queue) {
  { queue.ready_word() } -> std::same_as<ReadyWord>;
};

// A receive queue whose wait_fd is readable exactly while it has packets, armed or not: a trigger
// may watch it while the worker is awake.
template <class Q>
concept HasReadableFile = RxQueue<Q> && Q::kFileTellsReadiness;

// Refers to an RxQueue, which must outlive it. Copyable.
class AnyRxQueue {
 public:
  template <RxQueue Q>
  explicit AnyRxQueue(Q& queue) : queue_(&queue), operations_(&kOperations<Q>) {}

  RxResult Receive(Batch& out) const { return operations_->receive(queue_, out); }
  bool Arm() const { return operations_->arm(queue_); }
  void Disarm() const { operations_->disarm(queue_); }
  int wait_fd() const { return operations_->wait_fd(queue_); }
  // Where the queue has none, it has to be looked into with Receive.
  std::optional<ReadyWord> ready_word() const { return operations_->ready_word(queue_); }
  // As ready_word, for any thread: whether there is one. Constant.
  bool has_ready_word() const { return operations_->has_ready_word; }
  bool file_tells_readiness() const { return operations_->file_tells_readiness; }

 private:
  struct Operations {
    RxResult (*receive)(void*, Batch&);
    bool (*arm)(void*);
    void (*disarm)(void*);
    int (*wait_fd)(void*);
    std::optional<ReadyWord> (*ready_word)(void*);
    bool has_ready_word;
    bool file_tells_readiness;
  };

  template <class Q>
  static constexpr Operations kOperations = {
      [](void* queue, Batch& out) { return static_cast<Q*>(queue)->Receive(out); },
      [](void* queue) { return static_cast<Q*>(queue)->Arm(); },
      [](void* queue) { static_cast<Q*>(queue)->Disarm(); },
      [](void* queue) { return static_cast<Q*>(queue)->wait_fd(); },
      [](void* queue) -> std::optional<ReadyWord> {
        if constexpr (HasReadyWord<Q>) {
          return static_cast<const Q*>(queue)->ready_word();
        } else {
          return std::nullopt;
        }
      },
      HasReadyWord<Q>,
      HasReadableFile<Q>,
  };

  void* queue_;
  const Operations* operations_;
};

// Refers to a TxQueue, which must outlive it. Copyable.
class AnyTxQueue {
 public:
  template <TxQueue Q>
  explicit AnyTxQueue(Q& queue) : queue_(&queue), operations_(&kOperations<Q>) {}

  void Send(Batch& in, Tsc now) const { operations_->send(queue_, in, now); }
  TxResult Flush(Tsc now) const { return operations_->flush(queue_, now); }
  void DropHeld(ledger::DropReason reason) const { operations_->drop_held(queue_, reason); }
  bool Arm() const { return operations_->arm(queue_); }
  void Disarm() const { operations_->disarm(queue_); }
  int wait_fd() const { return operations_->wait_fd(queue_); }

 private:
  struct Operations {
    void (*send)(void*, Batch&, Tsc);
    TxResult (*flush)(void*, Tsc);
    void (*drop_held)(void*, ledger::DropReason);
    bool (*arm)(void*);
    void (*disarm)(void*);
    int (*wait_fd)(void*);
  };

  template <class Q>
  static constexpr Operations kOperations = {
      [](void* queue, Batch& in, Tsc now) { static_cast<Q*>(queue)->Send(in, now); },
      [](void* queue, Tsc now) { return static_cast<Q*>(queue)->Flush(now); },
      [](void* queue, ledger::DropReason reason) { static_cast<Q*>(queue)->DropHeld(reason); },
      [](void* queue) { return static_cast<Q*>(queue)->Arm(); },
      [](void* queue) { static_cast<Q*>(queue)->Disarm(); },
      [](void* queue) { return static_cast<Q*>(queue)->wait_fd(); },
  };

  void* queue_;
  const Operations* operations_;
};

}  // namespace wakegate

#endif  // DATAPLANE_WAKEUP_ANY_QUEUE_H_
