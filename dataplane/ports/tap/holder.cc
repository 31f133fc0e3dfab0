#include "dataplane/ports/tap/holder.h"

#include <linux/if_tun.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "dataplane/kernel/file_descriptor.h"

namespace wakegate {
namespace {

namespace fs = std::filesystem;

// Whether the kernel says of an open file that it is a queue of the tap: "iff:\ttap0"
// (tun_chr_show_fdinfo in drivers/net/tun.c).
bool IsQueueOf(const fs::path& fdinfo, const std::string& name) {
  std::ifstream file(fdinfo);
  std::string line;
  while (std::getline(file, line)) {
    if (line == absl::StrCat("iff:\t", name)) return true;
  }
  return false;
}

// What a folder holds, as far as it can be read: processes end meanwhile.
std::vector<fs::path> List(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    paths.push_back(it->path());
  }
  return paths;
}

bool Holds(const fs::path& process, const std::string& name) {
  const std::vector<fs::path> files = List(process / "fdinfo");
  return std::any_of(files.begin(), files.end(),
                     [&](const fs::path& fdinfo) { return IsQueueOf(fdinfo, name); });
}

// "net:[4026531840]"; empty where it must not be known.
std::string NetworkNamespaceOf(const fs::path& task) {
  std::error_code error;
  return fs::read_symlink(task / "ns" / "net", error).string();
}

// "net:[4026531840]", that the device of a tap's queue is in. Another file has none.
std::string NetworkNamespaceOfQueue(int file) {
  const FileDescriptor its(ioctl(file, TUNGETDEVNETNS));
  std::error_code error;
  return fs::read_symlink(absl::StrCat("/proc/self/fd/", its.get()), error).string();
}

}  // namespace

bool IsTapHeldHere(const std::string& name) {
  const std::string here = NetworkNamespaceOf("/proc/thread-self");
  const std::vector<fs::path> files = List("/proc/self/fdinfo");
  return std::any_of(files.begin(), files.end(), [&](const fs::path& fdinfo) {
    int file;
    return IsQueueOf(fdinfo, name) && absl::SimpleAtoi(fdinfo.filename().string(), &file) &&
           NetworkNamespaceOfQueue(file) == here;
  });
}

std::string FindTapHolder(const std::string& name) {
  const std::string here = NetworkNamespaceOf("/proc/thread-self");
  for (const fs::path& process : List("/proc")) {
    int pid;
    if (!absl::SimpleAtoi(process.filename().string(), &pid)) continue;
    if (NetworkNamespaceOf(process) != here || !Holds(process, name)) continue;
    std::string program;
    std::ifstream comm(process / "comm");
    std::getline(comm, program);
    return absl::StrCat(program, ", process ", pid);
  }
  return "";
}

}  // namespace wakegate
