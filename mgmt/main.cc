// wakegate-mgmt: the composition root.
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gateway/files/folder_lock.h"
#include "gateway/paths/paths.h"
#include "gateway/process/exit_status.h"
#include "gateway/process/grpc_runtime.h"
#include "gateway/process/log.h"
#include "gateway/process/open_files.h"
#include "gateway/process/signals.h"
#include "gateway/state/state_file.h"
#include "gateway/version/version.h"
#include "mgmt/controller/controller.h"
#include "mgmt/controller/reconciler.h"
#include "mgmt/listen/listen_address.h"
#include "mgmt/metrics/exporter.h"
#include "mgmt/services/server.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

struct Flags {
  std::string run_dir = kDefaultRunDir;
  std::string state_dir = kDefaultStateDir;
  std::string listen = kDefaultListenAddress;
  std::string metrics_listen = kDefaultMetricsAddress;
  std::string log_level = "info";
  bool insecure_listen_any = false;
};

void DefineFlags(CLI::App& app, Flags& flags) {
  app.add_option("--run-dir", flags.run_dir, "Folder of the sockets and of the counters")
      ->capture_default_str();
  app.add_option("--state-dir", flags.state_dir,
                 "Folder that keeps the configuration, of this gateway only")
      ->capture_default_str();
  app.add_option("--listen", flags.listen, "Address of the gRPC API, beside RUN_DIR/api.sock")
      ->capture_default_str();
  app.add_flag("--insecure-listen-any", flags.insecure_listen_any,
               "Permit a --listen address that others reach: there is no TLS and no password yet");
  app.add_option("--metrics-listen", flags.metrics_listen,
                 "Address that Prometheus scrapes; may be one that others reach: it only tells")
      ->capture_default_str();
  app.add_option("--log-level", flags.log_level, "Least severe lines on stderr")
      ->check(CLI::IsMember(kLogLevels))
      ->capture_default_str();
  app.set_version_flag("--version", absl::StrCat("wakegate-mgmt ", kVersion));
}

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return absl::OkStatus();
  return absl::ErrnoToStatus(error.value(), absl::StrCat("make the folder ", path));
}

absl::StatusOr<ListenAddress> ParseAddress(const char* flag, const std::string& text) {
  absl::StatusOr<ListenAddress> address = ListenAddress::Parse(text);
  if (address.ok()) return address;
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", address.status().message()));
}

absl::Status Run(const Flags& flags) {
  const absl::StatusOr<ListenAddress> listen = ParseAddress("--listen", flags.listen);
  if (!listen.ok()) return listen.status();
  const absl::StatusOr<ListenAddress> scrape =
      ParseAddress("--metrics-listen", flags.metrics_listen);
  if (!scrape.ok()) return scrape.status();
  if (!listen->IsLoopback() && !flags.insecure_listen_any) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--listen ", listen->text(),
        ": whoever reaches this address could change the gateway, as "
        "there is no TLS yet; use a loopback address, or --insecure-listen-any if you want that"));
  }
  if (absl::Status status = MakeFolder(flags.run_dir); !status.ok()) return status;
  // Two that keep their configuration in one place would take it over from each other.
  const absl::StatusOr<FolderLock> lock =
      FolderLock::Take(flags.state_dir, {"mgmt.lock", "wakegate-mgmt", "--state-dir"});
  if (!lock.ok()) return lock.status();

  StateFile file(DesiredConfigPath(flags.state_dir));
  absl::StatusOr<StateFile::Loaded> loaded = file.Load();
  if (!loaded.ok()) return loaded.status();
  if (!loaded->problem.empty()) spdlog::error("{}", loaded->problem);
  DataplaneClient dataplane(DataplaneSocketPath(flags.run_dir));
  Controller controller(dataplane, file, *std::move(loaded));

  absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(controller, ApiSocketPath(flags.run_dir), *listen);
  if (!server.ok()) return server.status();
  const absl::StatusOr<std::unique_ptr<Exporter>> exporter =
      Exporter::Start([&controller] { return controller.view(); }, *scrape);
  if (!exporter.ok()) return exporter.status();
  Reconciler reconciler(controller, [&server] { (*server)->UpdateHealth(); });
  spdlog::info("version {}: serves {} and {}; metrics on {}", kVersion,
               ApiSocketPath(flags.run_dir), listen->WithPort((*server)->tcp_port()).text(),
               scrape->WithPort((*exporter)->port()).text());

  const int signal = WaitForStopSignal();
  spdlog::info("stops: {}", strsignal(signal));
  dataplane.Stop();
  return absl::OkStatus();
}

}  // namespace
}  // namespace wakegate

int main(int argc, char** argv) {
  CLI::App app("Manages the gateway: the API, the configuration and the metrics.", "wakegate-mgmt");
  wakegate::Flags flags;
  wakegate::DefineFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : wakegate::kExitUsage;
  }
  umask(0007);  // Sockets and files are for the owner and the group.
  wakegate::BlockSignals();
  wakegate::RaiseOpenFileLimit();
  wakegate::SetUpLog("wakegate-mgmt", flags.log_level);
  wakegate::SetUpGrpc();
  return wakegate::ExitStatus(wakegate::Run(flags));
}
