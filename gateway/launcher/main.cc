// wakegate: runs the data plane and mgmt of one gateway with one command.
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "gateway/launcher/program.h"
#include "gateway/launcher/supervisor.h"
#include "gateway/process/exit_status.h"
#include "gateway/process/log.h"
#include "gateway/version/version.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

constexpr char kDescription[] =
    "Starts wakegate-dataplane and wakegate-mgmt, starts again the one that dies, and stops both\n"
    "on SIGTERM or Ctrl-C. Both end with it, however it ends.";
constexpr char kFooter[] =
    "Exit status: 0 stopped when told to; 1 a program did not come up, or did not end cleanly;\n"
    "2 wrong usage. Flags that are not given here keep the programs' own defaults.";

// What the user gave; an empty text: not given.
struct Flags {
  std::string dataplane;
  std::string mgmt;
  std::string run_dir;
  std::string state_dir;
  std::string cores;
  std::string listen;
  std::string metrics_listen;
  std::string log_level = "info";
  double stop_timeout_seconds = 5;
  std::vector<std::string> more_dataplane_flags;
};

void DefineFlags(CLI::App& app, Flags& flags) {
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("wakegate ") + kVersion);
  app.add_option("--run-dir", flags.run_dir, "Sockets and counters, on tmpfs (both programs)");
  app.add_option("--state-dir", flags.state_dir, "The wanted configuration, on disk (mgmt)");
  app.add_option("--cores", flags.cores, "Cores for the workers: auto, or a list (data plane)");
  app.add_option("--listen", flags.listen, "Address of the gRPC API (mgmt)");
  app.add_option("--metrics-listen", flags.metrics_listen, "Address for Prometheus (mgmt)");
  app.add_option("--log-level", flags.log_level, "Least severe lines on stderr (all three)")
      ->check(CLI::IsMember(kLogLevels))
      ->capture_default_str();
  app.add_option("--stop-timeout", flags.stop_timeout_seconds,
                 "Seconds a program may take to end before it is killed")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--dataplane", flags.dataplane,
                 "Path of wakegate-dataplane; else found by itself");
  app.add_option("--mgmt", flags.mgmt, "Path of wakegate-mgmt; else found by itself");
  app.add_option("DATAPLANE-FLAG", flags.more_dataplane_flags,
                 "After --: more flags for wakegate-dataplane");
}

// Appends `--name value` if the flag was given.
void HandOn(const std::string& name, const std::string& value, std::vector<std::string>& command) {
  if (value.empty()) return;
  command.push_back(name);
  command.push_back(value);
}

std::vector<std::string> DataplaneCommand(const Flags& flags, const std::string& path) {
  std::vector<std::string> command = {path};
  HandOn("--run-dir", flags.run_dir, command);
  HandOn("--cores", flags.cores, command);
  HandOn("--log-level", flags.log_level, command);
  command.insert(command.end(), flags.more_dataplane_flags.begin(),
                 flags.more_dataplane_flags.end());
  return command;
}

std::vector<std::string> MgmtCommand(const Flags& flags, const std::string& path) {
  std::vector<std::string> command = {path};
  HandOn("--run-dir", flags.run_dir, command);
  HandOn("--state-dir", flags.state_dir, command);
  HandOn("--listen", flags.listen, command);
  HandOn("--metrics-listen", flags.metrics_listen, command);
  HandOn("--log-level", flags.log_level, command);
  return command;
}

absl::StatusOr<std::string> GivenOrFound(const std::string& given, const std::string& name,
                                         const std::string& bazel_folder) {
  return given.empty() ? FindProgram(name, bazel_folder) : given;
}

absl::Status Run(const Flags& flags) {
  const auto dataplane = GivenOrFound(flags.dataplane, "wakegate-dataplane", "dataplane");
  if (!dataplane.ok()) return dataplane.status();
  const auto mgmt = GivenOrFound(flags.mgmt, "wakegate-mgmt", "mgmt");
  if (!mgmt.ok()) return mgmt.status();

  const std::chrono::duration<double> stop_timeout(flags.stop_timeout_seconds);
  Supervisor supervisor(std::chrono::duration_cast<std::chrono::milliseconds>(stop_timeout));
  // mgmt stops first: packets flow until the end, and mgmt never sees its data plane go.
  supervisor.Add("wakegate-dataplane", DataplaneCommand(flags, *dataplane));
  supervisor.Add("wakegate-mgmt", MgmtCommand(flags, *mgmt));
  return supervisor.Run();
}

}  // namespace
}  // namespace wakegate

int main(int argc, char** argv) {
  CLI::App app(wakegate::kDescription, "wakegate");
  wakegate::Flags flags;
  wakegate::DefineFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : wakegate::kExitUsage;
  }
  wakegate::SetUpLog("wakegate", flags.log_level);
  const absl::Status status = wakegate::Run(flags);
  if (status.ok()) return EXIT_SUCCESS;
  spdlog::critical("{}", std::string(status.message()));
  return wakegate::kExitFailure;
}
