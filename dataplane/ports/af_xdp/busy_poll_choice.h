// Who processes a queue's packets in the kernel: a softirq when they come, or the worker when it
// looks for them (busy polling, Documentation/networking/napi.rst). Pure.
#ifndef DATAPLANE_PORTS_AF_XDP_BUSY_POLL_CHOICE_H_
#define DATAPLANE_PORTS_AF_XDP_BUSY_POLL_CHOICE_H_

#include <cstdint>
#include <string>

#include "dataplane/ports/af_xdp/queue_napi.h"
#include "dataplane/ports/queue_tuning.h"

namespace wakegate {

struct BusyPollChoice {
  enum class Method : uint8_t {
    kNone,
    kSocketOptions,  // SO_PREFER_BUSY_POLL: a receive call on the socket polls.
    kIoUring,        // NapiRing: it polls an instance that it is told.
  };
  Method method = Method::kNone;
  std::string text;  // Why, where the knob alone does not say it.
};

// What the knobs come to. `auto` polls where the device links the instance and the worker's CPU is
// one that the kernel processes packets on. Without a link it does not: on a veth, with everything
// on one CPU, a worker that sleeps until packets come gets more of them than one that polls.
BusyPollChoice ChooseBusyPoll(const QueueTuning& tuning, const QueueNapi& napi);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_XDP_BUSY_POLL_CHOICE_H_
