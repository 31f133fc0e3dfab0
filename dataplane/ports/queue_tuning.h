// What the knobs of a queue say that its port sees to; what the worker sees to is in its plan.
#ifndef DATAPLANE_PORTS_QUEUE_TUNING_H_
#define DATAPLANE_PORTS_QUEUE_TUNING_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace wakegate {

enum class BusyPollWish : uint8_t { kOff, kAuto, kOn };

// When the kernel is asked again, which has taken only some of the packets that wait.
enum class TxContinue : uint8_t { kAtOnce, kOnCompletion };

struct QueueTuning {
  BusyPollWish busy_poll = BusyPollWish::kOff;
  std::chrono::microseconds busy_poll_time{0};
  uint32_t busy_budget = 0;  // Packets; 0: no busy polling.
  uint32_t napi_defer_hard_irqs = 0;
  std::chrono::nanoseconds gro_flush_timeout{0};
  // Others want the CPU of the worker that polls the queue.
  bool cpu_is_shared = false;
  TxContinue tx_continue = TxContinue::kAtOnce;

  bool operator==(const QueueTuning&) const = default;
};

// Of a queue that may have the kernel process its packets in the worker's thread.
struct BusyPollStatus {
  std::string method;  // "off", "socket options" or "io_uring".
  std::string text;    // Why; empty where the knob alone says so.
  uint32_t napi = 0;   // The instance that serves the queue; 0: not known.
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_QUEUE_TUNING_H_
