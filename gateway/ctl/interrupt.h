// Ctrl-C as a function call.
#ifndef GATEWAY_CTL_INTERRUPT_H_
#define GATEWAY_CTL_INTERRUPT_H_

#include <functional>
#include <thread>

namespace wakegate {

// From its making to its end SIGINT and SIGTERM do not end the process but call `on_interrupt`, on
// a thread of its own. Only threads that are started after it are sure to leave the signals to it:
// make it before the first call of gRPC.
class InterruptWatch {
 public:
  explicit InterruptWatch(std::function<void()> on_interrupt);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  void Run(const std::function<void()>& on_interrupt) const;

  int signal_fd_;
  int stop_fd_;
  std::thread thread_;
};

}  // namespace wakegate

#endif  // GATEWAY_CTL_INTERRUPT_H_
