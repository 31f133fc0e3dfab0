#include "gateway/ctl/command_line.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "gateway/config/quote.h"
#include "gateway/config/utf8.h"
#include "gateway/ctl/apply_command.h"
#include "gateway/ctl/diff_command.h"
#include "gateway/ctl/get_command.h"
#include "gateway/ctl/port_command.h"
#include "gateway/ctl/stats_command.h"
#include "gateway/ctl/tune_command.h"
#include "gateway/ctl/workers_command.h"
#include "gateway/paths/paths.h"
#include "gateway/version/version.h"

namespace wakegate {
namespace {

constexpr char kFooter[] = R"(Examples:
  wakegatectl apply -f gateway.yaml --dry-run     what would change
  wakegatectl apply -f gateway.yaml               change it
  wakegatectl get config > gateway.yaml           what runs, to edit and apply
  wakegatectl stats --watch                       a live table; Ctrl-C ends it
  wakegatectl explain worker 0                    why it woke in the next 10 s
  wakegatectl explain port eth0                   how it works, and why so
  wakegatectl tune set burst_size 16 --port tap0

Exit codes:
  0  done; of diff: no difference
  1  the gateway refused: the error has its status name and what to do
  2  wrong command line or file: nothing was sent
  3  no gateway answers at the address
  4  of diff: there are differences)";

constexpr char kApplyFooter[] = R"(Examples:
  wakegatectl apply -f gateway.yaml --dry-run
  wakegatectl get config | sed 's/mtu: 1500/mtu: 9000/' | wakegatectl apply -f -)";

constexpr char kDiffFooter[] = R"(Ends with 0 where nothing would change, otherwise with 4.)";

constexpr char kStatsFooter[] = R"(Examples:
  wakegatectl stats                               rates of the next second
  wakegatectl stats --watch --interval 500ms --port tap0
  wakegatectl stats -o json                       all counters, as docs/METRICS.md names them)";

constexpr char kTuneFooter[] = R"(Examples:
  wakegatectl tune get burst_size --port tap0
  wakegatectl tune set burst_size 16 --port tap0 --queue 1
  wakegatectl tune set idle_policy poll --worker 0)";

constexpr char kSubcommandFooter[] =
    "`wakegatectl --help` has the options that every command takes, and the exit codes.";

std::string WithGlobalOptions(const char* footer) {
  return absl::StrCat(footer, "\n\n", kSubcommandFooter);
}

using Command = std::function<ExitCode(Session&)>;

// "500ms", "2s"; a number alone is in seconds. More than 0 and at most a day.
std::optional<absl::Duration> ParseTime(const std::string& text) {
  absl::Duration time;
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds)) {
    time = absl::Seconds(seconds);
  } else if (!absl::ParseDuration(text, &time)) {
    return std::nullopt;
  }
  const bool is_usable = time > absl::ZeroDuration() && time <= absl::Hours(24);
  return is_usable ? std::optional(time) : std::nullopt;
}

void AddTime(CLI::App& app, const std::string& names, absl::Duration& time,
             const std::string& help) {
  const auto store = [names, &time](const std::string& text) {
    const std::optional<absl::Duration> parsed = ParseTime(text);
    if (!parsed.has_value()) {
      throw CLI::ValidationError(names.substr(names.find("--")),
                                 Quoted(text) + " is not a time such as 500ms or 2s");
    }
    time = *parsed;
  };
  app.add_option_function<std::string>(names, store, help)
      ->type_name("TIME")
      ->take_last()
      ->default_str(absl::FormatDuration(time));
}

// Makes a path a Unix socket's address; gives the error, empty where there is none.
std::string CompleteAddress(std::string& address) {
  // gRPC's other schemes (dns:, ipv4:) have a colon too; a HOST:PORT has no slash.
  if (absl::StrContains(address, '/') && !absl::StrContains(address, ':')) {
    address.insert(0, "unix:");
  }
  absl::string_view path = address;
  constexpr std::size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;
  if (!absl::ConsumePrefix(&path, "unix:") || path.size() <= kMaxPath) return "";
  return absl::StrCat("a path of ", path.size(), " bytes; a Unix socket's may have ", kMaxPath);
}

// The options and what they select. Each AddXxx makes one command.
class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;

  int Run(int argc, const char* const* argv, const Console& console);

 private:
  // What is wrong with the command line, and where the help is.
  std::string Explain(const CLI::ParseError& error) const;
  void AddGlobalOptions();
  void AddApply();
  void AddDiff();
  void AddGet();
  void AddExplain();
  void AddStats();
  void AddTune();
  void AddVersion();
  CLI::App* AddCommand(CLI::App& parent, const char* name, const char* help, Command command);
  void AddFile(CLI::App& app);

  CLI::App app_{"Manages a Wakegate packet gateway through its gRPC API.", "wakegatectl"};
  SessionOptions session_{.address = absl::StrCat("unix:", ApiSocketPath(kDefaultRunDir)),
                          .timeout = absl::Seconds(10)};
  std::string format_ = "table";
  ApplyOptions apply_;
  StatsOptions stats_;
  absl::Duration workers_interval_ = absl::Seconds(1);
  absl::Duration explain_interval_ = absl::Seconds(10);
  uint32_t explained_worker_ = 0;
  std::string explained_port_;
  std::string device_port_;
  TuneGetOptions tune_get_;
  TuneSetOptions tune_set_;
  Command selected_;
};

CommandLine::CommandLine() {
  app_.footer(kSubcommandFooter);  // Commands inherit it when they are added.
  AddGlobalOptions();
  AddApply();
  AddDiff();
  AddGet();
  AddExplain();
  AddStats();
  AddTune();
  AddVersion();
  app_.footer(kFooter);
}

void CommandLine::AddGlobalOptions() {
  app_.require_subcommand(1);
  app_.fallthrough();  // Global options are taken after the command too.
  app_.set_version_flag("--version", absl::StrCat("wakegatectl ", kVersion));
  app_.add_option("-a,--address", session_.address, "The gateway: unix:PATH, a PATH, or HOST:PORT")
      ->transform(CLI::Validator(CompleteAddress, ""))
      ->envname("WAKEGATE_ADDRESS")
      ->take_last()
      ->capture_default_str();
  AddTime(app_, "--timeout", session_.timeout, "How long to wait for an answer");
  app_.add_option("-o,--output", format_, "How to print")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->take_last()
      ->type_name("FORMAT")
      ->capture_default_str();
}

CLI::App* CommandLine::AddCommand(CLI::App& parent, const char* name, const char* help,
                                  Command command) {
  CLI::App* added = parent.add_subcommand(name, help);
  added->callback([this, command = std::move(command)] { selected_ = command; });
  return added;
}

void CommandLine::AddFile(CLI::App& app) {
  app.add_option("-f,--file", apply_.file, "The configuration, YAML or JSON; -: standard input")
      ->required()
      ->type_name("FILE");
}

void CommandLine::AddApply() {
  CLI::App* apply = AddCommand(app_, "apply", "Make the gateway run a configuration",
                               [this](Session& session) { return RunApply(apply_, session); });
  apply->footer(WithGlobalOptions(kApplyFooter));
  AddFile(*apply);
  apply->add_flag("--dry-run", apply_.dry_run, "Only show what would change");
  apply
      ->add_option("--expect-generation", apply_.expected_generation,
                   "Refuse if another generation runs by now")
      ->type_name("N");
}

void CommandLine::AddDiff() {
  CLI::App* diff = AddCommand(app_, "diff", "Show what a configuration would change",
                              [this](Session& session) { return RunDiff(apply_.file, session); });
  diff->footer(WithGlobalOptions(kDiffFooter));
  AddFile(*diff);
}

void CommandLine::AddGet() {
  CLI::App* get = app_.add_subcommand("get", "Show what is configured and what it does");
  get->require_subcommand(1);
  AddCommand(*get, "config", "The configuration, as apply takes it", RunGetConfig);
  AddCommand(*get, "ports", "The ports and their state", RunGetPorts);
  AddCommand(*get, "knobs", "What can be tuned", RunGetKnobs);
  AddCommand(*get, "status", "Both processes, and whether they agree", RunGetStatus);
  CLI::App* workers =
      AddCommand(*get, "workers", "Who polls what, how it waits, and what it costs",
                 [this](Session& session) { return RunGetWorkers(workers_interval_, session); });
  AddTime(*workers, "-s,--seconds", workers_interval_, "How long to watch them");
  CLI::App* device_stats =
      AddCommand(*get, "device-stats", "What the driver of a port's device counts (ethdev)",
                 [this](Session& session) { return RunGetDeviceStats(device_port_, session); });
  device_stats->add_option("PORT", device_port_, "Its name")->required()->type_name("");
}

void CommandLine::AddExplain() {
  CLI::App* explain = app_.add_subcommand("explain", "Say why something is as it is");
  explain->require_subcommand(1);
  CLI::App* worker =
      AddCommand(*explain, "worker", "What woke a worker, most often first, and what it did",
                 [this](Session& session) {
                   return RunExplainWorker(explained_worker_, explain_interval_, session);
                 });
  worker->add_option("WORKER", explained_worker_, "Its number, from 0")->required()->type_name("");
  AddTime(*worker, "-s,--seconds", explain_interval_, "How long to watch it");
  CLI::App* port = AddCommand(*explain, "port", "How a port works and why so, and what it did",
                              [this](Session& session) {
                                return RunExplainPort(explained_port_, explain_interval_, session);
                              });
  port->add_option("PORT", explained_port_, "Its name")->required()->type_name("");
  AddTime(*port, "-s,--seconds", explain_interval_, "How long to watch it");
}

void CommandLine::AddStats() {
  CLI::App* stats = AddCommand(app_, "stats", "Show rates, wakeups, drops and the books",
                               [this](Session& session) { return RunStats(stats_, session); });
  stats->footer(WithGlobalOptions(kStatsFooter));
  CLI::Option* watch = stats->add_flag("-w,--watch", stats_.watch, "Again each interval");
  AddTime(*stats, "-i,--interval", stats_.interval, "What the rates are averaged over");
  stats->add_option("-n,--count", stats_.count, "End after so many; otherwise at Ctrl-C")
      ->needs(watch)
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  stats->add_option("-p,--port", stats_.ports, "Only this port; may be given again")
      ->type_name("PORT")
      ->allow_extra_args(false);
}

void CommandLine::AddTune() {
  CLI::App* tune = app_.add_subcommand("tune", "Read and set knobs while traffic runs");
  tune->footer(WithGlobalOptions(kTuneFooter))->require_subcommand(1);
  CLI::App* get = AddCommand(*tune, "get", "The values of a knob, or of all",
                             [this](Session& session) { return RunTuneGet(tune_get_, session); });
  get->add_option("KNOB", tune_get_.knob, "A name that `get knobs` lists")->type_name("");
  CLI::Option* get_port =
      get->add_option("-p,--port", tune_get_.port, "Only of this port")->type_name("PORT");
  get->add_option("-w,--worker", tune_get_.worker, "Only of this worker, from 0")
      ->type_name("N")
      ->excludes(get_port);

  CLI::App* set = AddCommand(*tune, "set", "Set a knob; it becomes part of the configuration",
                             [this](Session& session) { return RunTuneSet(tune_set_, session); });
  set->add_option("KNOB", tune_set_.knob, "A name that `get knobs` lists")
      ->required()
      ->type_name("");
  set->add_option("VALUE", tune_set_.value, "In the knob's unit")->required()->type_name("");
  CLI::Option* port = set->add_option("-p,--port", tune_set_.port, "The port, of a knob of ports")
                          ->type_name("PORT");
  set->add_option("-q,--queue", tune_set_.queue, "Only this queue of the port, from 0")
      ->type_name("N")
      ->needs(port);
  set->add_option("-w,--worker", tune_set_.worker,
                  "Only this worker, from 0, of a knob of workers; otherwise all")
      ->type_name("N")
      ->excludes(port);
  set->add_option("--expect-generation", tune_set_.expected_generation,
                  "Refuse if another generation runs by now")
      ->type_name("N");
}

void CommandLine::AddVersion() {
  AddCommand(app_, "version", "The version of wakegatectl", [](Session& session) {
    session.console().out << "wakegatectl " << kVersion << "\n";
    return kSuccess;
  });
}

std::string CommandLine::Explain(const CLI::ParseError& error) const {
  const CLI::App* app = &app_;
  std::string path = app_.get_name();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    absl::StrAppend(&path, " ", app->get_name());
  }
  std::string text = error.what();
  // A command that does not exist is left over, and one that does is said to be missing.
  const std::vector<std::string> left_over = app_.remaining(/*recurse=*/true);
  const bool wants_command = app->get_require_subcommand_min() > 0;
  if (wants_command && !left_over.empty()) {
    std::vector<std::string> known;
    for (const CLI::App* command : app->get_subcommands(nullptr)) {
      known.push_back(command->get_name());
    }
    text = absl::StrCat("no command ", Quoted(left_over.front()),
                        SuggestName(left_over.front(), known));
  }
  return absl::StrCat("wakegatectl: ", text, "\nSee `", path, " --help`.\n");
}

int CommandLine::Run(int argc, const char* const* argv, const Console& console) {
  for (int i = 1; i < argc; ++i) {
    if (IsUtf8(argv[i])) continue;
    // Its bytes are not shown: a terminal might obey them.
    console.err << "wakegatectl: argument " << i << " is not UTF-8\nSee `wakegatectl --help`.\n";
    return kUsage;
  }
  try {
    app_.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app_.exit(help, console.out, console.err);
  } catch (const CLI::ParseError& error) {
    console.err << Explain(error);
    return kUsage;
  }
  if (format_ == "json") session_.format = Format::kJson;
  if (format_ == "yaml") session_.format = Format::kYaml;
  Session session(console, session_);
  return selected_(session);
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv, const Console& console) {
  return CommandLine().Run(argc, argv, console);
}

}  // namespace wakegate
