#include "gateway/ctl/port_explanation.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/ctl/counts.h"
#include "gateway/ctl/elapsed.h"
#include "gateway/ctl/numbers.h"
#include "gateway/ctl/plain_name.h"
#include "gateway/ctl/table.h"

namespace wakegate {
namespace {

using ctl::v1::PortReport;

class Explanation {
 public:
  explicit Explanation(const PortReport& report)
      : report_(report), seconds_(SecondsBetween(report.from(), report.to())) {}

  std::string Text() {
    AddTitle();
    AddState();
    for (const v1::QueueStatus& queue : report_.status().queues()) AddQueue(queue);
    AddKernel();
    return std::move(text_);
  }

 private:
  std::string Times(uint64_t count) const { return TimesIn(count, seconds_); }
  void Say(const std::string& sentence, std::size_t indent = 0) {
    text_ += WrapText(sentence, indent);
  }

  void AddTitle();
  void AddState();
  void AddQueue(const v1::QueueStatus& queue);
  void AddBusyPoll(const v1::QueueStatus& status, const v1::QueueStats& counts);
  void AddReceive(const v1::QueueStats& counts);
  void AddSend(const v1::QueueStats& counts);
  // What both directions have.
  void AddCosts(const v1::QueueStats& counts);
  void AddKernel();

  const PortReport& report_;
  const double seconds_;
  std::string text_;
};

void Explanation::AddTitle() {
  Say(absl::StrCat("Port ", report_.status().name(), ", ", report_.status().kind(), ", over ",
                   ShortTime(seconds_ * 1e6),
                   report_.restarted() ? ", in which the data plane started anew" : ""));
  text_ += "\n";
}

void Explanation::AddState() {
  const v1::PortStatus& status = report_.status();
  std::string text =
      absl::StrCat("It is ", PlainName(v1::PortStatus::State_Name(status.state()), "STATE_"));
  if (!status.state_text().empty()) absl::StrAppend(&text, ": ", status.state_text());
  absl::StrAppend(&text, ".");
  if (!status.mode_text().empty()) absl::StrAppend(&text, " Mode: ", status.mode_text(), ".");
  if (!status.sleep_obstacle().empty()) {
    absl::StrAppend(&text, " Its worker never sleeps: ", status.sleep_obstacle(), ".");
  }
  absl::StrAppend(&text,
                  status.cross_connected_to().empty()
                      ? " It is connected to no port: what it receives is dropped."
                      : absl::StrCat(" It is connected to ", status.cross_connected_to(), "."));
  Say(text);
}

void Explanation::AddQueue(const v1::QueueStatus& status) {
  text_ += "\n";
  std::string text =
      absl::StrCat("Queue ", status.queue(), " is received from by worker ", status.rx_worker(),
                   " and sent to by worker ", status.tx_worker(), ".");
  if (!status.rx_trigger().empty()) {
    absl::StrAppend(&text, " Trigger: ", status.rx_trigger(),
                    status.rx_trigger_text().empty() ? "" : ": ", status.rx_trigger_text(), ".");
  }
  Say(text);
  for (const v1::QueueStats& counts : report_.queues()) {
    if (counts.queue() != status.queue()) continue;
    if (counts.direction() == v1::DIRECTION_RX) {
      AddBusyPoll(status, counts);
      AddReceive(counts);
    } else {
      AddSend(counts);
    }
    AddCosts(counts);
  }
}

// Whether it is effective, its own counts tell: packets that were there after a call, and were not
// before.
void Explanation::AddBusyPoll(const v1::QueueStatus& status, const v1::QueueStats& counts) {
  if (status.busy_poll().empty()) return;
  const std::string napi = status.napi_id() == 0 ? "" : absl::StrCat(" of NAPI ", status.napi_id());
  std::string text = absl::StrCat("Busy polling", napi, ": ", status.busy_poll());
  if (!status.busy_poll_text().empty()) absl::StrAppend(&text, ", ", status.busy_poll_text());
  absl::StrAppend(&text, ".");
  if (status.busy_poll() != "off") {
    const uint64_t polls = CountOf(counts.counters(), "busy_polls");
    const uint64_t brought = CountOf(counts.counters(), "busy_poll_packets");
    const uint64_t packets = CountOf(counts.counters(), "packets");
    absl::StrAppend(&text,
                    packets == 0   ? " Whether it is effective, packets would tell"
                    : brought == 0 ? " It is ineffective"
                                   : " It is effective",
                    ": called ", Times(polls), ", it brought ", brought, " of ", packets,
                    " packets.");
  }
  Say(text, 2);
}

void Explanation::AddReceive(const v1::QueueStats& stats) {
  const CounterMap& counts = stats.counters();
  Say(absl::StrCat("It received ", CountOf(counts, "packets"), " packets (",
                   RateIn(CountOf(counts, "packets"), seconds_), "/s). It was looked into ",
                   Times(CountOf(counts, "polls")), ", ", CountOf(counts, "empty_polls"),
                   " of them in vain; more looks were answered from memory: ",
                   Times(CountOf(counts, "polls_from_memory")), "."),
      2);
  const std::string wakes = Listed(stats.wakes_by_cause());
  if (!wakes.empty()) Say(absl::StrCat("It woke its worker: ", wakes, "."), 2);
  if (const uint64_t kicks = CountOf(counts, "fill_kicks"); kicks > 0) {
    Say(absl::StrCat("The kernel was told of buffers ", Times(kicks), "."), 2);
  }
}

void Explanation::AddSend(const v1::QueueStats& stats) {
  const CounterMap& counts = stats.counters();
  const uint64_t packets = CountOf(counts, "packets");
  const uint64_t kicks = CountOf(counts, "kicks_sent");
  std::string text = absl::StrCat("It sent ", packets, " packets (", RateIn(packets, seconds_),
                                  "/s). The other side was woken ", Times(kicks));
  if (kicks > 0) {
    absl::StrAppend(&text, ", for ",
                    ShortNumber(static_cast<double>(packets) / static_cast<double>(kicks)),
                    " packets each");
  }
  absl::StrAppend(&text, "; ", CountOf(counts, "kicks_not_needed"), " bursts found it awake, ",
                  CountOf(counts, "kicks_merged"), " kicks were saved by waiting, ",
                  CountOf(counts, "kicks_forced"), " were forced, ", CountOf(counts, "retries"),
                  " tried again. Held now: ", CountOf(counts, "held_packets"), ".");
  Say(text, 2);
  const std::string flushes = Listed(stats.flushes_by_cause());
  if (!flushes.empty()) Say(absl::StrCat("What was held was pushed: ", flushes, "."), 2);
}

void Explanation::AddCosts(const v1::QueueStats& stats) {
  const uint64_t calls = SumOf(stats.system_calls_by_kind());
  const uint64_t packets = CountOf(stats.counters(), "packets");
  if (calls > 0) {
    std::string each;
    if (packets > 0) {
      each =
          absl::StrCat(", ", ShortNumber(static_cast<double>(calls) / static_cast<double>(packets)),
                       " a packet");
    }
    Say(absl::StrCat("System calls: ", Listed(stats.system_calls_by_kind()), each, "."), 2);
  }
  const std::string errors = Listed(stats.errors_by_kind());
  if (!errors.empty()) Say(absl::StrCat("The kernel answered: ", errors, "."), 2);
  const std::string drops = Listed(stats.drops_by_reason());
  if (!drops.empty()) Say(absl::StrCat("Dropped: ", drops, "."), 2);
}

void Explanation::AddKernel() {
  const std::string counts = Listed(report_.kernel().counters());
  if (counts.empty()) return;
  text_ += "\n";
  Say(absl::StrCat("The kernel counted for its device: ", counts, "."));
}

}  // namespace

std::string FormatPortExplanation(const PortReport& report) { return Explanation(report).Text(); }

}  // namespace wakegate
