#include "dataplane/control/eal.h"

#include <linux/mman.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "dataplane/control/available_memory.h"
#include "dataplane/control/cpus.h"

namespace wakegate {
namespace {

// Whether the kernel has that many free hugepages for us. EAL cannot be started a second time after
// it failed for want of them, so this asks first.
bool HugepagesAreFree(size_t bytes) {
  void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, 0);
  if (map == MAP_FAILED) return false;
  munmap(map, bytes);
  return true;
}

std::vector<std::string> EalArguments(bool hugepages, uint32_t megabytes, int cpu) {
  std::vector<std::string> arguments = {
      "wakegate-dataplane",
      // Of this process alone: several gateways may run on one machine.
      absl::StrCat("--file-prefix=wakegate-", getpid()),
      "--no-telemetry",
      // No PCI device is taken at the start, but the bus is there for ports that name one later: an
      // allowed device turns off the taking of all others, and this one does not exist.
      "-a",
      "ffff:ff:1f.7",
      "--iova-mode=va",
      "--log-level=lib.eal:warning",
      absl::StrCat("--lcores=0@", cpu),
      absl::StrCat("-m", megabytes),
  };
  if (hugepages) {
    arguments.emplace_back("--in-memory");
  } else {
    arguments.insert(arguments.end(), {"--no-huge", "--no-shconf"});
  }
  return arguments;
}

}  // namespace

absl::StatusOr<std::string> StartEal(uint32_t megabytes) {
  const bool hugepages = HugepagesAreFree(size_t{megabytes} << 20);
  // EAL touches all of it. The kernel would not refuse but swap, or kill us.
  if (const AvailableMemory available = ReadAvailableMemory();
      !hugepages && megabytes > available.megabytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("--memory ", megabytes, ": ", available.limit, " leaves ", available.megabytes,
                     " MB; ask for less, or raise the memory limit of the container or service"));
  }
  const std::vector<int> cpus = ThreadCpus();
  std::vector<std::string> arguments = EalArguments(hugepages, megabytes, cpus.front());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  if (rte_eal_init(static_cast<int>(argv.size()), argv.data()) < 0) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "DPDK's EAL did not start with ", megabytes, " MB of ",
        hugepages ? "2 MB hugepages" : "ordinary pages (no free hugepages)", ": ",
        rte_strerror(rte_errno),
        "; its own lines above say more. Ask for less with --memory, or raise the memory limit of "
        "the container or service"));
  }
  // EAL pins its caller to one CPU.
  if (const absl::Status status = SetThreadCpus(cpus); !status.ok()) return status;
  return absl::StrCat(megabytes, " MB of ",
                      hugepages ? "2 MB hugepages" : "4 KB pages (not enough free hugepages)");
}

}  // namespace wakegate
