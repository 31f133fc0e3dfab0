#include "gateway/knobs/knobs.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/config/quote.h"
#include "gateway/knobs/value.h"

namespace wakegate {
namespace {

// All live: none of them makes a port be opened again.
v1::Knob LiveKnob(const char* name, v1::Knob::Type type, v1::Knob::Scope scope,
                  const char* default_value, const char* help) {
  v1::Knob knob;
  knob.set_name(name);
  knob.set_type(type);
  knob.set_scope(scope);
  knob.set_default_value(default_value);
  knob.set_effect(v1::Knob::EFFECT_LIVE);
  knob.set_help(help);
  return knob;
}

v1::Knob WithRange(v1::Knob knob, const char* minimum, const char* maximum, const char* unit = "") {
  knob.set_minimum(minimum);
  knob.set_maximum(maximum);
  knob.set_unit(unit);
  return knob;
}

v1::Knob WithChoices(v1::Knob knob, std::initializer_list<const char*> choices) {
  for (const char* choice : choices) knob.add_choices(choice);
  return knob;
}

v1::Knob OnlyOf(const char* port_kind, v1::Knob knob) {
  knob.add_port_kinds(port_kind);
  return knob;
}

v1::Knob BurstSize() {
  return WithRange(
      LiveKnob(kBurstSizeKnob, v1::Knob::TYPE_INTEGER, v1::Knob::SCOPE_QUEUE, "32",
               "Packets that the worker takes from the queue at a time. More of them share the "
               "cost of a turn and of a kick; fewer leave the other queues less long without "
               "a turn."),
      "1", "64", "packets");
}

v1::Knob BusyBudget() {
  return OnlyOf(
      "af_xdp",
      WithRange(LiveKnob(kBusyBudgetKnob, v1::Knob::TYPE_INTEGER, v1::Knob::SCOPE_QUEUE, "64",
                         "With busy_poll: packets that the kernel processes in one call, "
                         "where the device links the queue to its NAPI instance (8 at a "
                         "time for busy_poll_time where it does not). More than 64 may "
                         "keep the device from sending. 0: no busy polling."),
                "0", "65535", "packets"));
}

v1::Knob BusyPoll() {
  return OnlyOf(
      "af_xdp",
      WithChoices(
          LiveKnob(
              kBusyPollKnob, v1::Knob::TYPE_CHOICE, v1::Knob::SCOPE_QUEUE, "auto",
              "Who has the kernel process what the device received. off: a softirq, when it "
              "comes. on: the worker, with a system call in each turn that finds nothing. "
              "auto: on where the device links the queue to its NAPI instance and the worker's "
              "CPU processes packets for the kernel too. `explain port` says which, and what "
              "came of it."),
          {"auto", "on", "off"}));
}

v1::Knob BusyPollTime() {
  return OnlyOf(
      "af_xdp",
      WithRange(LiveKnob(kBusyPollTimeKnob, v1::Knob::TYPE_DURATION, v1::Knob::SCOPE_QUEUE, "20us",
                         "With busy_poll: how long one call looks for packets at most. Meanwhile "
                         "the worker does nothing else."),
                "0us", "1ms"));
}

v1::Knob GroFlushTimeout() {
  return OnlyOf("af_xdp",
                WithRange(LiveKnob(kGroFlushTimeoutKnob, v1::Knob::TYPE_DURATION,
                                   v1::Knob::SCOPE_QUEUE, "200us",
                                   "With busy_poll: how long packets may wait in the device for a "
                                   "worker that does not look (it sleeps) before a softirq is had "
                                   "for them. Set of the queue's NAPI instance, and put back."),
                          "0us", "1s"));
}

v1::Knob NapiDeferHardIrqs() {
  return OnlyOf(
      "af_xdp",
      WithRange(LiveKnob(kNapiDeferHardIrqsKnob, v1::Knob::TYPE_INTEGER, v1::Knob::SCOPE_QUEUE, "2",
                         "With busy_poll: for how many looks that find nothing the "
                         "device's interrupts stay off. Without it, or without "
                         "gro_flush_timeout, interrupts take the packets before the "
                         "worker does. Set of the queue's NAPI instance, and put back."),
                "0", "1000", "looks"));
}

v1::Knob CallBatching() {
  return WithChoices(
      LiveKnob(kCallBatchingKnob, v1::Knob::TYPE_CHOICE, v1::Knob::SCOPE_WORKER, "auto",
               "on: a burst from or to a tap is one io_uring_enter. off: it is a read or write for "
               "each packet. auto: on, unless that took a fifth longer for each call when the "
               "worker started; `get workers` says what it measured."),
      {"auto", "on", "off"});
}

// One value for all CPUs: Linux, Documentation/power/pm_qos_interface.rst.
v1::Knob CpuDmaLatency() {
  return WithChoices(
      LiveKnob(kCpuDmaLatencyKnob, v1::Knob::TYPE_CHOICE, v1::Knob::SCOPE_WORKER, "off",
               "on: holds /dev/cpu_dma_latency at 0 while the gateway runs, so that a halted CPU "
               "wakes in 4 to 6 us instead of 24 to 93; costs power. Without effect in a virtual "
               "machine whose host chooses the sleep states. The kernel has one such "
               "value for all CPUs of the machine: one worker that has it on is enough."),
      {"off", "on"});
}

v1::Knob IdleLongestSleep() {
  return WithRange(
      LiveKnob(kIdleLongestSleepKnob, v1::Knob::TYPE_DURATION, v1::Knob::SCOPE_WORKER, "100ms",
               "The worker wakes at least this often and looks at all queues, whoever has not "
               "woken it."),
      "1ms", "10s");
}

v1::Knob IdlePolicy() {
  return WithChoices(
      LiveKnob(kIdlePolicyKnob, v1::Knob::TYPE_CHOICE, v1::Knob::SCOPE_WORKER, "adaptive",
               "poll: never sleeps: lowest latency, all of its CPU. adaptive: looks on for "
               "idle_spin after the last packet, then sleeps until it is woken. interrupt: sleeps "
               "as soon as a turn finds nothing."),
      {"poll", "adaptive", "interrupt"});
}

v1::Knob IdleSpin() {
  return WithRange(
      LiveKnob(kIdleSpinKnob, v1::Knob::TYPE_DURATION, v1::Knob::SCOPE_WORKER, "50us",
               "With idle_policy adaptive: how long the worker looks on after the last packet "
               "before it sleeps. Longer saves wakes, shorter saves CPU."),
      "0us", "10ms");
}

v1::Knob RxTrigger() {
  return OnlyOf(
      "tap",
      WithChoices(
          LiveKnob(kRxTriggerKnob, v1::Knob::TYPE_CHOICE, v1::Knob::SCOPE_QUEUE, "auto",
                   "How an idle tap announces a packet. io_uring: a poll in the worker's ring. "
                   "signal: a real-time signal. epoll: one call for all idle taps of the worker. "
                   "none: the worker reads the tap in each turn. auto: the best "
                   "of them that this machine has; `get workers` says which, and why."),
          {"auto", "io_uring", "signal", "epoll", "none"}));
}

v1::Knob TxContinue() {
  return OnlyOf(
      "af_xdp",
      WithChoices(
          LiveKnob(kTxContinueKnob, v1::Knob::TYPE_CHOICE, v1::Knob::SCOPE_QUEUE, "at_once",
                   "Where the kernel copies packets to send and has taken only some of them (32 a "
                   "call before Linux 6.17): when the worker asks again. at_once: in the same "
                   "turn, until it has all. on_completion: in a later turn, when "
                   "buffers have come back, or after 1 ms."),
          {"at_once", "on_completion"}));
}

v1::Knob Worker() {
  static_assert(kMaxWorkers == 128, "the greatest number below");
  return WithRange(
      WithChoices(LiveKnob(kWorkerKnob, v1::Knob::TYPE_INTEGER, v1::Knob::SCOPE_QUEUE, "auto",
                           "The worker that polls the queue's receive side and owns its transmit "
                           "side. auto: placed beside the queue it is connected to, and moved by "
                           "measured load."),
                  {"auto"}),
      "0", "127");
}

}  // namespace

std::span<const v1::Knob> AllKnobs() {
  static const auto& knobs = *new std::vector<v1::Knob>{
      BurstSize(),         BusyBudget(),      BusyPoll(),         BusyPollTime(), CallBatching(),
      CpuDmaLatency(),     GroFlushTimeout(), IdleLongestSleep(), IdlePolicy(),   IdleSpin(),
      NapiDeferHardIrqs(), RxTrigger(),       TxContinue(),       Worker()};
  return knobs;
}

const v1::Knob* FindKnob(std::string_view name) {
  const std::span<const v1::Knob> knobs = AllKnobs();
  const auto found = std::find_if(knobs.begin(), knobs.end(),
                                  [&](const v1::Knob& knob) { return knob.name() == name; });
  return found == knobs.end() ? nullptr : &*found;
}

bool IsForPortKind(const v1::Knob& knob, std::string_view kind) {
  const auto& kinds = knob.port_kinds();
  return knob.scope() != v1::Knob::SCOPE_WORKER &&
         (kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end());
}

absl::Status ValidateKnobValue(std::string_view knob, std::string_view value) {
  const v1::Knob* found = FindKnob(knob);
  if (found != nullptr) return CheckKnobValue(*found, value);
  std::vector<std::string> known;
  for (const v1::Knob& candidate : AllKnobs()) known.push_back(candidate.name());
  return absl::NotFoundError(absl::StrCat("unknown knob ", Quoted(knob), SuggestName(knob, known)));
}

}  // namespace wakegate
