#include "dataplane/ports/af_xdp/busy_poller.h"

#include <rte_cycles.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/error_kind.h"
#include "dataplane/kernel/kernel_error.h"

namespace wakegate {
namespace {

using ledger::RxCounter;
using ledger::SystemCall;

constexpr uint64_t kPauseMicroseconds = 5;

const char* MethodName(BusyPollChoice::Method method) {
  switch (method) {
    case BusyPollChoice::Method::kNone:
      return "off";
    case BusyPollChoice::Method::kSocketOptions:
      return "socket options";
    case BusyPollChoice::Method::kIoUring:
      return "io_uring";
  }
  return "";
}

struct SocketOption {
  int number;
  const char* name;
  int value;
};

absl::Status Set(int socket, const SocketOption& option) {
  if (setsockopt(socket, SOL_SOCKET, option.number, &option.value, sizeof(option.value)) == 0) {
    return absl::OkStatus();
  }
  return KernelError(errno, absl::StrCat("set ", option.name, " to ", option.value),
                     errno == EPERM         ? "needs CAP_NET_ADMIN"
                     : errno == ENOPROTOOPT ? "the kernel is older than 5.11"
                                            : "");
}

}  // namespace

void BusyPoller::Tune(const QueueTuning& tuning) {
  QueueNapi napi = find_napi_();
  const bool is_same_napi = napi.napi.id == napi_.napi.id;
  TakeNapi(std::move(napi));
  const BusyPollChoice choice = ChooseBusyPoll(tuning, napi_);
  const Method before = method_.load(std::memory_order_relaxed);
  const bool is_deferred_so = WantedDeferral(choice.method, tuning) == deferral_;
  if (tuning == tuning_ && choice.method == before && is_deferred_so && is_same_napi) return;
  tuning_ = tuning;
  text_ = choice.text;
  if (choice.method == Method::kNone && before == Method::kNone && is_deferred_so) return;
  absl::Status status = Prepare(choice.method, tuning);
  if (!status.ok()) {
    text_ = std::string(status.message());
    Prepare(Method::kNone, {}).IgnoreError();
  }
  method_.store(status.ok() ? choice.method : Method::kNone, std::memory_order_release);
}

// Another instance is a new one, which nobody has set yet but the driver; the one before went with
// all that was set of it.
void BusyPoller::TakeNapi(QueueNapi napi) {
  if (napi.napi.id != napi_.napi.id) {
    found_.Forget();
    found_ = FoundDeferral(run_dir_, napi.napi);
    deferral_ = napi.napi.deferral;
  }
  napi_ = std::move(napi);
}

BusyPollStatus BusyPoller::status() const {
  return {.method = MethodName(method_.load(std::memory_order_relaxed)),
          .text = text_,
          .napi = napi_.napi.id};
}

bool BusyPoller::Poll() {
  const Tsc now = rte_rdtsc();
  if (now < next_poll_) return false;
  ledger_.counters[RxCounter::kBusyPolls].Add(1);
  if (method_.load(std::memory_order_acquire) == Method::kIoUring) {
    ledger_.system_calls[SystemCall::kIoUringEnter].Add(1);
    ring_->Poll();
  } else {
    ledger_.system_calls[SystemCall::kReceive].Add(1);
    if (recvfrom(socket_, nullptr, 0, MSG_DONTWAIT, nullptr, nullptr) < 0 && errno != EAGAIN) {
      ledger_.errors[ErrorKindOf(errno)].Add(1);
    }
  }
  next_poll_ = rte_rdtsc() + kPauseMicroseconds * rte_get_tsc_hz() / 1'000'000;
  return true;
}

void BusyPoller::Brought(uint32_t packets) {
  ledger_.counters[RxCounter::kBusyPollPackets].Add(packets);
  next_poll_ = 0;
}

absl::Status BusyPoller::Prepare(Method method, const QueueTuning& tuning) {
  absl::Status status = SetSocketOptions(method == Method::kSocketOptions, tuning);
  if (status.ok() && method == Method::kIoUring) {
    if (ring_ == nullptr) {
      absl::StatusOr<std::unique_ptr<NapiRing>> ring = NapiRing::Create();
      if (!ring.ok()) return ring.status();
      ring_ = *std::move(ring);
    }
    status = ring_->Watch(napi_.napi.id, tuning.busy_poll_time);
  }
  if (!status.ok()) return status;
  return SetDeferral(WantedDeferral(method, tuning));
}

// Both 0: they are left as they were.
NapiDeferral BusyPoller::WantedDeferral(Method method, const QueueTuning& tuning) const {
  const NapiDeferral wanted = {.hard_irqs = tuning.napi_defer_hard_irqs,
                               .flush_timeout = tuning.gro_flush_timeout};
  return method == Method::kNone || wanted == NapiDeferral() ? found_.value() : wanted;
}

// All or none: the first that is refused is not followed by others, and those before it are taken
// back by Prepare(kNone).
absl::Status BusyPoller::SetSocketOptions(bool on, const QueueTuning& tuning) const {
  if (!napi_.linked) return absl::OkStatus();
  const std::array<SocketOption, 3> options = {{
      {SO_PREFER_BUSY_POLL, "SO_PREFER_BUSY_POLL", on ? 1 : 0},
      {SO_BUSY_POLL, "SO_BUSY_POLL", on ? static_cast<int>(tuning.busy_poll_time.count()) : 0},
      {SO_BUSY_POLL_BUDGET, "SO_BUSY_POLL_BUDGET", on ? static_cast<int>(tuning.busy_budget) : 0},
  }};
  for (const SocketOption& option : options) {
    if (const absl::Status status = Set(socket_, option); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status BusyPoller::SetDeferral(const NapiDeferral& deferral) {
  if (deferral == deferral_) return absl::OkStatus();
  const bool puts_back = deferral == found_.value();
  absl::Status status = puts_back ? absl::OkStatus() : found_.Keep();
  if (status.ok()) {
    status = home_.Run([&] { return SetNapiDeferral(napi_.napi.id, deferral); });
  }
  if (!status.ok()) return status;
  deferral_ = deferral;
  if (puts_back) found_.Forget();
  return absl::OkStatus();
}

}  // namespace wakegate
