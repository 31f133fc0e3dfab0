#include "gateway/ctl/stats_command.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/ctl/interrupt.h"
#include "gateway/ctl/rates.h"
#include "gateway/ctl/screen.h"
#include "gateway/ctl/stats_view.h"
#include "gateway/ctl/stats_watch.h"

namespace wakegate {
namespace {

// Prints each snapshot, or what changed since the one before.
class Printer {
 public:
  Printer(const StatsOptions& options, Session& session) : session_(session) {
    const Console& console = session.console();
    if (options.watch && console.terminal_fd >= 0 && session.options().format == Format::kTable) {
      screen_.emplace(console.out, console.terminal_fd);
    }
  }

  // How often it has printed.
  int printed() const { return printed_; }

  void Print(const v1::StatsSnapshot& snapshot) {
    std::ostream& out = session_.console().out;
    if (session_.options().format == Format::kYaml && printed_ > 0) out << "---\n";
    if (!session_.PrintMessage(snapshot)) {
      const bool is_first = !last_.has_value();
      const v1::StatsSnapshot before = is_first ? snapshot : *std::move(last_);
      last_ = snapshot;
      if (is_first) return;
      frame_ = FormatStats(ComputeRates(before, snapshot));
      if (screen_.has_value()) {
        screen_->Show(frame_);
      } else {
        out << (printed_ > 0 ? "\n" : "") << frame_;
      }
    }
    out << std::flush;
    ++printed_;
  }

  // Says in one line that no counters come, and why; with an empty text, that they come again. On a
  // terminal the next frame says that.
  void Say(const std::string& why) {
    const std::string line = why.empty() ? "the counters come again"
                                         : absl::StrCat("no counters, waiting for them: ", why);
    if (!screen_.has_value()) {
      session_.console().err << "wakegatectl: " << line << std::endl;
    } else if (!why.empty()) {
      screen_->Show(absl::StrCat(line, "\n\n", frame_));
    }
  }

 private:
  Session& session_;
  std::optional<Screen> screen_;
  std::optional<v1::StatsSnapshot> last_;
  std::string frame_;  // The last one, as text.
  int printed_ = 0;
};

v1::StreamStatsRequest MakeRequest(const StatsOptions& options) {
  v1::StreamStatsRequest request;
  absl::Duration rest;
  request.mutable_interval()->set_seconds(
      absl::IDivDuration(options.interval, absl::Seconds(1), &rest));
  request.mutable_interval()->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  for (const std::string& port : options.ports) request.add_ports(port);
  return request;
}

ExitCode RunOnce(const StatsOptions& options, Session& session) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       absl::ToChronoMicroseconds(options.interval + session.options().timeout));
  Printer printer(options, session);
  const auto reader = session.client().stats().StreamStats(&context, MakeRequest(options));
  v1::StreamStatsResponse response;
  while (printer.printed() == 0 && reader->Read(&response)) printer.Print(response.snapshot());
  if (printer.printed() > 0) context.TryCancel();
  const grpc::Status status = reader->Finish();
  return printer.printed() > 0 ? kSuccess : session.Fail(status);
}

ExitCode RunWatch(const StatsOptions& options, Session& session) {
  StatsWatch watch(session);
  const InterruptWatch interrupt([&] { watch.Interrupt(); });
  grpc::Status status;
  {
    Printer printer(options, session);  // Leaves the terminal as it was before an error is told.
    status = watch.Follow(
        MakeRequest(options),
        [&](const v1::StatsSnapshot& snapshot) {
          printer.Print(snapshot);
          return options.count == 0 || printer.printed() < options.count;
        },
        [&](const std::string& why) { printer.Say(why); });
  }
  return status.ok() ? kSuccess : session.Fail(status);
}

}  // namespace

ExitCode RunStats(const StatsOptions& options, Session& session) {
  return options.watch ? RunWatch(options, session) : RunOnce(options, session);
}

}  // namespace wakegate
