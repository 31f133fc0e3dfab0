// One change at a time: who wants to change something waits here, for a bounded time.
#ifndef MGMT_CONTROLLER_TURNSTILE_H_
#define MGMT_CONTROLLER_TURNSTILE_H_

#include <condition_variable>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "mgmt/controller/deadline.h"

namespace wakegate {

// Thread safe. Outlives its passes.
class Turnstile {
 public:
  // Each waits on a thread of the server: some must be left for readers.
  static constexpr int kMaxWaiting = 32;

  // Nobody else is through while one holds a pass.
  struct Leave {
    void operator()(Turnstile* turnstile) const;
  };
  using Pass = std::unique_ptr<Turnstile, Leave>;

  // DEADLINE_EXCEEDED where others took too long, RESOURCE_EXHAUSTED where kMaxWaiting wait.
  absl::StatusOr<Pass> Enter(Deadline deadline);
  // Null where somebody is through.
  Pass TryEnter();

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  bool taken_ = false;  // Guarded by mutex_, as is the next.
  int waiting_ = 0;
};

}  // namespace wakegate

#endif  // MGMT_CONTROLLER_TURNSTILE_H_
