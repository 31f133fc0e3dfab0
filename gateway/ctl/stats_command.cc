#include "gateway/ctl/stats_command.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "gateway/ctl/interrupt.h"
#include "gateway/ctl/rates.h"
#include "gateway/ctl/screen.h"
#include "gateway/ctl/stats_view.h"

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
      const std::string text = FormatStats(ComputeRates(before, snapshot));
      if (screen_.has_value()) {
        screen_->Show(text);
      } else {
        out << (printed_ > 0 ? "\n" : "") << text;
      }
    }
    out << std::flush;
    ++printed_;
  }

 private:
  Session& session_;
  std::optional<Screen> screen_;
  std::optional<v1::StatsSnapshot> last_;
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

// Until `count` were printed, or without end where that is 0.
grpc::Status Stream(const StatsOptions& options, int count, grpc::ClientContext* context,
                    Session& session) {
  Printer printer(options, session);
  const auto reader = session.client().stats().StreamStats(context, MakeRequest(options));
  v1::StreamStatsResponse response;
  while ((count == 0 || printer.printed() < count) && reader->Read(&response)) {
    printer.Print(response.snapshot());
  }
  const bool is_complete = count > 0 && printer.printed() == count;
  if (is_complete) context->TryCancel();
  const grpc::Status status = reader->Finish();
  return is_complete ? grpc::Status::OK : status;
}

ExitCode RunOnce(const StatsOptions& options, Session& session) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       absl::ToChronoMicroseconds(options.interval + session.options().timeout));
  const grpc::Status status = Stream(options, 1, &context, session);
  return status.ok() ? kSuccess : session.Fail(status);
}

ExitCode RunWatch(const StatsOptions& options, Session& session) {
  grpc::ClientContext context;
  std::atomic<bool> interrupted = false;
  const InterruptWatch interrupt([&] {
    interrupted = true;
    context.TryCancel();
  });
  const grpc::Status status = Stream(options, options.count, &context, session);
  return status.ok() || interrupted ? kSuccess : session.Fail(status);
}

}  // namespace

ExitCode RunStats(const StatsOptions& options, Session& session) {
  return options.watch ? RunWatch(options, session) : RunOnce(options, session);
}

}  // namespace wakegate
