// wakegate-dataplane: the composition root.
#include <rte_cycles.h>
#include <rte_eal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "dataplane/control/boot_id.h"
#include "dataplane/control/cpus.h"
#include "dataplane/control/eal.h"
#include "dataplane/control/gateway.h"
#include "dataplane/control/housekeeping.h"
#include "dataplane/control/port_factory.h"
#include "dataplane/control/service.h"
#include "dataplane/control/worker_pool.h"
#include "dataplane/packet/pool.h"
#include "gateway/files/folder_lock.h"
#include "gateway/ledger/writer.h"
#include "gateway/paths/paths.h"
#include "gateway/process/exit_status.h"
#include "gateway/process/grpc_runtime.h"
#include "gateway/process/log.h"
#include "gateway/process/open_files.h"
#include "gateway/process/signals.h"
#include "gateway/version/version.h"
#include "spdlog/spdlog.h"

namespace wakegate {
namespace {

struct Flags {
  std::string run_dir = kDefaultRunDir;
  std::string cores = "auto";
  uint32_t memory_megabytes = 256;
  std::string log_level = "info";
};

void DefineFlags(CLI::App& app, Flags& flags) {
  app.add_option("--run-dir", flags.run_dir,
                 "Folder, best on tmpfs, of the sockets, the counters and what a restart restores")
      ->capture_default_str();
  app.add_option("--cores", flags.cores,
                 "CPUs of the workers: a list such as 2,4-7, or auto: all that this process may "
                 "use but the first, or the machine's last where it may use all")
      ->capture_default_str();
  app.add_option("--memory", flags.memory_megabytes, "Memory for packets, in MB")
      ->check(CLI::Range(64, 1 << 20))
      ->capture_default_str();
  app.add_option("--log-level", flags.log_level, "Least severe lines on stderr")
      ->check(CLI::IsMember(kLogLevels))
      ->capture_default_str();
  app.set_version_flag("--version", absl::StrCat("wakegate-dataplane ", kVersion));
}

// The most buffers, of the sizes that mempools like, that leave a quarter of the memory to rings.
uint32_t BufferCount(uint32_t memory_megabytes) {
  const uint64_t bytes = (uint64_t{memory_megabytes} << 20) / 4 * 3;
  uint32_t count = 1023;
  while (PacketPool::BytesNeeded(2 * count + 1) <= bytes && count < (1U << 22)) {
    count = 2 * count + 1;
  }
  return count;
}

v1::DataplaneStatus MakeStatus(const std::string& boot_id, const std::string& memory_text,
                               const WorkerPool& workers) {
  v1::DataplaneStatus status;
  status.set_version(kVersion);
  status.set_boot_id(boot_id);
  status.set_pid(getpid());
  status.mutable_start_time()->set_seconds(
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  status.set_memory_text(memory_text);
  for (uint32_t index = 0; index < workers.size(); ++index) {
    v1::WorkerStatus& worker = *status.add_workers();
    worker.set_worker(index);
    worker.set_cpu(static_cast<uint32_t>(workers.worker(index).cpu()));
  }
  return status;
}

// Everything from the packet pool up: what must go before EAL does.
absl::Status Serve(const Flags& flags, const CpuAssignment& cpus, std::string memory_text) {
  const absl::StatusOr<std::string> boot_id = MakeBootId();
  if (!boot_id.ok()) return boot_id.status();
  absl::StatusOr<std::unique_ptr<ledger::Writer>> ledger =
      ledger::Writer::Create(flags.run_dir, *boot_id, rte_get_tsc_hz());
  if (!ledger.ok()) return ledger.status();
  const absl::StatusOr<PacketPool> pool =
      PacketPool::Create("packets", BufferCount(flags.memory_megabytes), SOCKET_ID_ANY);
  if (!pool.ok()) return pool.status();
  absl::StrAppend(&memory_text, ", ", pool->count(), " buffers");
  absl::StatusOr<std::unique_ptr<WorkerPool>> workers =
      WorkerPool::Start(cpus.workers, pool->get(), **ledger);
  if (!workers.ok()) return workers.status();

  PortFactory factory;
  Gateway gateway({factory, **workers, **ledger, pool->get(), flags.run_dir},
                  MakeStatus(*boot_id, memory_text, **workers), DataplaneConfigPath(flags.run_dir));
  gateway.Restore();
  absl::StatusOr<std::unique_ptr<Housekeeping>> housekeeping = Housekeeping::Start(gateway);
  if (!housekeeping.ok()) return housekeeping.status();
  DataplaneService service(gateway, (*ledger)->path());
  absl::StatusOr<std::unique_ptr<grpc::Server>> server =
      StartServer(DataplaneSocketPath(flags.run_dir), service);
  if (!server.ok()) return server.status();
  spdlog::info("version {} runs on {}; workers on CPUs {}, all else on {}", kVersion, memory_text,
               CpuListText(cpus.workers), CpuListText(cpus.housekeeping));

  const int signal = WaitForStopSignal();
  spdlog::info("stops: {}", strsignal(signal));
  (*server)->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  return absl::OkStatus();
}

absl::Status Run(const Flags& flags) {
  const absl::StatusOr<CpuAssignment> cpus =
      AssignCpus(flags.cores, ThreadCpus(), std::thread::hardware_concurrency());
  if (!cpus.ok()) return cpus.status();
  const absl::StatusOr<FolderLock> lock =
      FolderLock::Take(flags.run_dir, {"dataplane.lock", "wakegate-dataplane", "--run-dir"});
  if (!lock.ok()) return lock.status();
  // Before the first thread of any library: they inherit it.
  if (absl::Status status = SetThreadCpus(cpus->housekeeping); !status.ok()) return status;
  SetUpGrpc();
  absl::StatusOr<std::string> memory_text = StartEal(flags.memory_megabytes);
  if (!memory_text.ok()) return memory_text.status();
  // EAL is not cleaned up after: it would take its memory from its own interrupt thread, which it
  // does not end, and which may be at the last events of a device. The kernel takes all of it.
  return Serve(flags, *cpus, *std::move(memory_text));
}

}  // namespace
}  // namespace wakegate

int main(int argc, char** argv) {
  CLI::App app("Moves packets between ports, on cores of its own.", "wakegate-dataplane");
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
  wakegate::SetUpLog("wakegate-dataplane", flags.log_level);
  return wakegate::ExitStatus(wakegate::Run(flags));
}
