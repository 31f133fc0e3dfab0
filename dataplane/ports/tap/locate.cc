#include "dataplane/ports/tap/locate.h"

#include <sys/socket.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/kernel/kernel_error.h"
#include "dataplane/netdev/network_device.h"
#include "dataplane/netdev/visible_namespaces.h"

namespace wakegate {
namespace {

constexpr char kMarkPrefix[] = "wakegate tap ";

// Unlike the inode it is never given to another one, as long as the machine is up. Nothing before
// Linux 5.14. Of the calling thread's namespace.
std::optional<uint64_t> NamespaceCookie() {
  const FileDescriptor any(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  if (getsockopt(any.get(), SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) != 0) return std::nullopt;
  return cookie;
}

using Taps = std::vector<LinkState>;

// The taps of a namespace, and its cookie where that is wanted.
absl::StatusOr<Taps> ListTaps(const NetworkNamespace& network,
                              std::optional<uint64_t>* cookie = nullptr) {
  absl::StatusOr<Taps> taps = Taps();
  const absl::Status status = network.Run([&] {
    if (cookie != nullptr) *cookie = NamespaceCookie();
    taps = NetworkDevice::List("tun");
    return taps.status();
  });
  if (!status.ok()) return status;
  return taps;
}

template <class Predicate>
const LinkState* FindIf(const Taps& taps, Predicate&& predicate) {
  const auto found = std::find_if(taps.begin(), taps.end(), predicate);
  return found == taps.end() ? nullptr : &*found;
}

void SetDevice(const LinkState& device, bool taken, TapLocation& location) {
  location.name = device.name;
  location.index = device.index;
  location.taken = taken;
}

// Whether it was found somewhere else than in `home`.
bool LocateElsewhere(const NetworkNamespace& home, TapLocation& location) {
  VisibleNamespaces visible = FindVisibleNamespaces();
  location.incomplete = visible.incomplete;
  for (NetworkNamespace& network : visible.namespaces) {
    if (network == home) continue;
    const absl::StatusOr<Taps> taps = ListTaps(network);
    location.incomplete |= !taps.ok();
    if (!taps.ok()) continue;
    const auto is_marked = [&](const LinkState& tap) { return tap.alias == location.mark; };
    if (const LinkState* tap = FindIf(*taps, is_marked)) {
      SetDevice(*tap, /*taken=*/true, location);
      location.network_namespace = std::move(network);
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsMarkOrEmpty(const std::string& alias) {
  return alias.empty() || absl::StartsWith(alias, kMarkPrefix);
}

absl::StatusOr<TapLocation> LocateTap(const NetworkNamespace& home, const std::string& interface) {
  std::optional<uint64_t> cookie;
  const absl::StatusOr<Taps> taps = ListTaps(home, &cookie);
  if (!taps.ok()) return taps.status();
  TapLocation location = {.network_namespace = home.Duplicate(), .name = interface};
  if (!location.network_namespace.valid()) return KernelError(errno, "locate a tap");
  if (cookie.has_value()) {
    location.mark = absl::StrCat(kMarkPrefix, interface, " of network namespace ", *cookie);
    const auto is_marked = [&](const LinkState& tap) { return tap.alias == location.mark; };
    if (const LinkState* tap = FindIf(*taps, is_marked)) {
      SetDevice(*tap, tap->name != interface, location);
      return location;
    }
    if (LocateElsewhere(home, location)) return location;
  }
  const auto is_named = [&](const LinkState& tap) { return tap.name == interface; };
  if (const LinkState* tap = FindIf(*taps, is_named)) SetDevice(*tap, false, location);
  return location;
}

}  // namespace wakegate
