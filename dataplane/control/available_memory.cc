#include "dataplane/control/available_memory.h"

#include <fstream>
#include <limits>
#include <optional>

#include "absl/strings/match.h"

namespace wakegate {
namespace {

// Nothing where the file is not there or says "max".
std::optional<uint64_t> ReadNumber(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

std::optional<uint64_t> MachineKilobytes(const std::string& proc) {
  std::ifstream file(proc + "/meminfo");
  std::string key;
  uint64_t kilobytes = 0;
  for (std::string unit; file >> key >> kilobytes; std::getline(file, unit)) {
    if (key == "MemAvailable:") return kilobytes;
  }
  return std::nullopt;
}

// The path of this process's cgroup below the mount: "0::/system.slice/wakegate.service".
std::string OwnCgroup(const std::string& proc) {
  std::ifstream file(proc + "/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "0::")) return line.substr(3);
  }
  return "";
}

}  // namespace

AvailableMemory ReadAvailableMemory(const std::string& proc, const std::string& cgroups) {
  AvailableMemory least = {std::numeric_limits<uint64_t>::max(), "nothing"};
  const auto limit = [&least](uint64_t megabytes, const std::string& what) {
    if (megabytes < least.megabytes) least = {megabytes, what};
  };
  if (const auto kilobytes = MachineKilobytes(proc)) limit(*kilobytes >> 10, "this machine");
  std::string path = OwnCgroup(proc);
  while (true) {
    const std::string folder = cgroups + path;
    const auto most = ReadNumber(folder + "/memory.max");
    const uint64_t used = ReadNumber(folder + "/memory.current").value_or(0);
    if (most) limit(*most > used ? (*most - used) >> 20 : 0, folder + "/memory.max");
    if (path.empty()) return least;
    path.erase(path.find_last_of('/'));
  }
}

}  // namespace wakegate
