// Has the kernel process a queue's packets in the thread that looks for them.
#ifndef DATAPLANE_PORTS_AF_XDP_BUSY_POLLER_H_
#define DATAPLANE_PORTS_AF_XDP_BUSY_POLLER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "dataplane/kernel/napi_ring.h"
#include "dataplane/netdev/napi.h"
#include "dataplane/netdev/network_namespace.h"
#include "dataplane/ports/af_xdp/busy_poll_choice.h"
#include "dataplane/ports/af_xdp/found_deferral.h"
#include "dataplane/ports/af_xdp/queue_napi.h"
#include "dataplane/ports/queue_tuning.h"
#include "dataplane/wakeup/queue_concepts.h"
#include "gateway/ledger/layout.h"

namespace wakegate {

// One queue's. Control tunes, the worker polls, at the same time.
class BusyPoller {
 public:
  // What finds the instance of the queue; it changes when the device is put down and up.
  using FindNapi = std::function<QueueNapi()>;

  // `socket`, `home`, the device's namespace, and `ledger`: outlive it. `run_dir`: of
  // FoundDeferral.
  BusyPoller(int socket, FindNapi find_napi, const NetworkNamespace& home, std::string run_dir,
             ledger::RxQueueBlock& ledger)
      : socket_(socket),
        find_napi_(std::move(find_napi)),
        home_(home),
        run_dir_(std::move(run_dir)),
        ledger_(ledger) {}
  BusyPoller(const BusyPoller&) = delete;
  BusyPoller& operator=(const BusyPoller&) = delete;

  // Control, again whenever the device was put up. What cannot be had is left out, whole. Tuned to
  // nothing it puts back what it has set of the instance.
  void Tune(const QueueTuning& tuning);
  BusyPollStatus status() const;

  // The worker: whether to Poll where nothing has come.
  bool on() const { return method_.load(std::memory_order_acquire) != Method::kNone; }
  // The worker: one system call; none sooner than 5 µs after one that brought nothing, so that the
  // device gets to send (softirqs are held off meanwhile). Whether it made one.
  bool Poll();
  // The worker, after a Poll that brought packets.
  void Brought(uint32_t packets);

 private:
  using Method = BusyPollChoice::Method;

  void TakeNapi(QueueNapi napi);
  NapiDeferral WantedDeferral(Method method, const QueueTuning& tuning) const;
  absl::Status Prepare(Method method, const QueueTuning& tuning);
  absl::Status SetSocketOptions(bool on, const QueueTuning& tuning) const;
  absl::Status SetDeferral(const NapiDeferral& deferral);

  const int socket_;
  const FindNapi find_napi_;
  const NetworkNamespace& home_;
  const std::string run_dir_;
  ledger::RxQueueBlock& ledger_;
  std::unique_ptr<NapiRing> ring_;  // Made when it is first wanted, then constant.
  QueueNapi napi_;
  FoundDeferral found_{"", {}};
  NapiDeferral deferral_;  // As it is now.
  QueueTuning tuning_;
  std::string text_;
  std::atomic<Method> method_ = Method::kNone;
  Tsc next_poll_ = 0;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_BUSY_POLLER_H_
