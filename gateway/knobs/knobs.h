// The list of all knobs: what they are called, what they may be, what they do. Pure.
//
// A new knob is a line in knobs.cc and its reader in the data plane; the API, wakegatectl and the
// validation have it by themselves.
#ifndef GATEWAY_KNOBS_KNOBS_H_
#define GATEWAY_KNOBS_KNOBS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "wakegate/v1/config.pb.h"
#include "wakegate/v1/tuning.pb.h"

namespace wakegate {

// Of each queue.
inline constexpr char kBurstSizeKnob[] = "burst_size";
inline constexpr char kBusyBudgetKnob[] = "busy_budget";                  // Of AF_XDP ports.
inline constexpr char kBusyPollKnob[] = "busy_poll";                      // Of AF_XDP ports.
inline constexpr char kBusyPollTimeKnob[] = "busy_poll_time";             // Of AF_XDP ports.
inline constexpr char kGroFlushTimeoutKnob[] = "gro_flush_timeout";       // Of AF_XDP ports.
inline constexpr char kNapiDeferHardIrqsKnob[] = "napi_defer_hard_irqs";  // Of AF_XDP ports.
inline constexpr char kRxTriggerKnob[] = "rx_trigger";                    // Of taps.
inline constexpr char kTxContinueKnob[] = "tx_continue";                  // Of AF_XDP ports.
inline constexpr char kWorkerKnob[] = "worker";
// Of each worker.
inline constexpr char kCallBatchingKnob[] = "call_batching";
inline constexpr char kCpuDmaLatencyKnob[] = "cpu_dma_latency";
inline constexpr char kIdleLongestSleepKnob[] = "idle_longest_sleep";
inline constexpr char kIdlePolicyKnob[] = "idle_policy";
inline constexpr char kIdleSpinKnob[] = "idle_spin";

// Workers are numbered from 0: no gateway has more (DPDK's RTE_MAX_LCORE).
inline constexpr uint32_t kMaxWorkers = 128;

// Sorted by name, without values.
std::span<const v1::Knob> AllKnobs();
// Null where there is none of that name.
const v1::Knob* FindKnob(std::string_view name);

// Whether ports of this kind ("tap", …) have the knob.
bool IsForPortKind(const v1::Knob& knob, std::string_view kind);

// Whether `value` is one that the knob may have, and the knob is known: INVALID_ARGUMENT with the
// range, NOT_FOUND with the known names.
absl::Status ValidateKnobValue(std::string_view knob, std::string_view value);

// What holds at a place. `config` is valid, the knob known and of that scope. Texts are canonical:
// equal values are equal texts.

// Of a queue: its own setting, else the port's, else the default.
std::string KnobText(const v1::GatewayConfig& config, std::string_view knob, std::string_view port,
                     uint32_t queue);
// Likewise, of a knob of TYPE_INTEGER without choices.
int64_t KnobInteger(const v1::GatewayConfig& config, std::string_view knob, std::string_view port,
                    uint32_t queue);
// Likewise, of a knob of TYPE_DURATION.
absl::Duration KnobDuration(const v1::GatewayConfig& config, std::string_view knob,
                            std::string_view port, uint32_t queue);
// The worker that a queue is given to by kWorkerKnob; absent: "auto".
std::optional<uint32_t> WorkerOfQueue(const v1::GatewayConfig& config, std::string_view port,
                                      uint32_t queue);

// Of a worker: its own setting, else that of all workers, else the default.
std::string WorkerKnobText(const v1::GatewayConfig& config, std::string_view knob, uint32_t worker);
// Likewise, of a knob of TYPE_DURATION.
absl::Duration WorkerKnobDuration(const v1::GatewayConfig& config, std::string_view knob,
                                  uint32_t worker);

// Where the setting `place` is or would be, whatever its value: of one queue or worker as above; of
// all of them, what holds for the first.
std::string KnobTextAt(const v1::GatewayConfig& config, const v1::KnobSetting& place);

}  // namespace wakegate

#endif  // GATEWAY_KNOBS_KNOBS_H_
