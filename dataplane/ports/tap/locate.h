// Finds the tap of a port again, wherever somebody has taken it.
#ifndef DATAPLANE_PORTS_TAP_LOCATE_H_
#define DATAPLANE_PORTS_TAP_LOCATE_H_

#include <string>

#include "absl/status/statusor.h"
#include "dataplane/netdev/network_namespace.h"

namespace wakegate {

struct TapLocation {
  NetworkNamespace network_namespace;
  std::string name;    // As it is called there.
  int index = 0;       // 0: there is none yet.
  bool taken = false;  // Found by its mark, elsewhere or under another name.
  // What a persistent tap is marked with (its alias), so that it is found. Empty where the kernel
  // has nothing to tell namespaces by (before Linux 5.14): there it is not found.
  std::string mark = {};
  // It was not found at its place, and not all other namespaces could be looked into.
  bool incomplete = false;
};

// Where the tap `interface`, whose place is `home`, is now: the one with its mark, in `home` by
// any name or in any namespace that can be seen; else the device of that name in `home`, made or
// yet to be made. Looking into other namespaces takes CAP_SYS_ADMIN, and less than 1 ms for each;
// it is done only where `home` has no marked tap.
absl::StatusOr<TapLocation> LocateTap(const NetworkNamespace& home, const std::string& interface);

// Whether an alias is a mark of ours, or none at all: then it may be replaced.
bool IsMarkOrEmpty(const std::string& alias);

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_TAP_LOCATE_H_
