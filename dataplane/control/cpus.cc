#include "dataplane/control/cpus.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace wakegate {
namespace {

absl::Status BadList(std::string_view cores, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("--cores=", std::string(cores), ": ", std::string(why)));
}

// "2,4-7" as {2, 4, 5, 6, 7}.
absl::StatusOr<std::vector<int>> ParseList(std::string_view cores) {
  std::vector<int> cpus;
  for (const std::string& part : std::vector<std::string>(
           absl::StrSplit(absl::string_view(cores.data(), cores.size()), ','))) {
    const std::vector<std::string> ends = absl::StrSplit(part, absl::MaxSplits('-', 1));
    int first = 0;
    int last = 0;
    if (!absl::SimpleAtoi(ends.front(), &first) || !absl::SimpleAtoi(ends.back(), &last) ||
        first < 0 || last < first || last >= CPU_SETSIZE) {
      return BadList(cores, "write \"auto\", or CPUs such as \"2,4-7\"");
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  if (std::adjacent_find(cpus.begin(), cpus.end()) != cpus.end()) {
    return BadList(cores, "a CPU is named twice");
  }
  return cpus;
}

std::vector<int> AutomaticWorkers(const std::vector<int>& allowed, size_t online) {
  if (allowed.size() == 1 || allowed.size() >= online) return {allowed.back()};
  return {allowed.begin() + 1, allowed.end()};
}

}  // namespace

absl::StatusOr<CpuAssignment> AssignCpus(std::string_view cores, const std::vector<int>& allowed,
                                         size_t online) {
  CpuAssignment assignment;
  if (cores == "auto") {
    assignment.workers = AutomaticWorkers(allowed, online);
  } else {
    absl::StatusOr<std::vector<int>> listed = ParseList(cores);
    if (!listed.ok()) return listed.status();
    assignment.workers = *std::move(listed);
  }
  if (!std::includes(allowed.begin(), allowed.end(), assignment.workers.begin(),
                     assignment.workers.end())) {
    return BadList(cores, absl::StrCat("this process may run on CPUs ", CpuListText(allowed),
                                       " only (its cpuset or taskset)"));
  }
  std::set_difference(allowed.begin(), allowed.end(), assignment.workers.begin(),
                      assignment.workers.end(), std::back_inserter(assignment.housekeeping));
  if (assignment.housekeeping.empty()) assignment.housekeeping = allowed;
  return assignment;
}

std::vector<int> ThreadCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

absl::Status SetThreadCpus(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("run on CPUs ", CpuListText(cpus)));
}

std::string CpuListText(const std::vector<int>& cpus) {
  std::string text;
  for (size_t i = 0; i < cpus.size();) {
    size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    absl::StrAppend(&text, text.empty() ? "" : ",", cpus[i]);
    if (end - i > 1) absl::StrAppend(&text, "-", cpus[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace wakegate
