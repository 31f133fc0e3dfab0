// The thread that keeps the data plane at what is wanted.
#ifndef MGMT_CONTROLLER_RECONCILER_H_
#define MGMT_CONTROLLER_RECONCILER_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "mgmt/controller/controller.h"

namespace wakegate {

class Reconciler {
 public:
  // Reconciles at once, then each second; sooner after a failure. `after_turn` is called on its
  // thread after each turn. `controller` outlives it.
  Reconciler(Controller& controller, std::function<void()> after_turn);
  // Waits for the turn under way: at most for the calls to the data plane, which
  // DataplaneClient::Stop ends.
  ~Reconciler();
  Reconciler(const Reconciler&) = delete;
  Reconciler& operator=(const Reconciler&) = delete;

 private:
  void Run();

  Controller& controller_;
  const std::function<void()> after_turn_;
  std::mutex mutex_;
  std::condition_variable stop_changed_;
  bool stop_ = false;  // Guarded by mutex_.
  std::thread thread_;
};

}  // namespace wakegate

#endif  // MGMT_CONTROLLER_RECONCILER_H_
