#include "dataplane/ports/af_xdp/busy_poll_choice.h"

namespace wakegate {

BusyPollChoice ChooseBusyPoll(const QueueTuning& tuning, const QueueNapi& napi) {
  using Method = BusyPollChoice::Method;
  if (tuning.busy_poll == BusyPollWish::kOff) return {};
  if (tuning.busy_budget == 0) return {Method::kNone, "busy_budget is 0"};
  if (napi.napi.id == 0) return {Method::kNone, napi.why_not_known};
  const bool automatic = tuning.busy_poll == BusyPollWish::kAuto;
  if (automatic && !napi.linked) {
    return {Method::kNone, "the device links no NAPI instance to the queue: sleeping is faster"};
  }
  if (automatic && !tuning.cpu_is_shared) {
    return {Method::kNone, "the worker has its CPU to itself"};
  }
  return {napi.linked ? Method::kSocketOptions : Method::kIoUring, ""};
}

}  // namespace wakegate
