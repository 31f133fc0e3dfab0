// The network namespaces that can be seen from here.
#ifndef DATAPLANE_NETDEV_VISIBLE_NAMESPACES_H_
#define DATAPLANE_NETDEV_VISIBLE_NAMESPACES_H_

#include <vector>

#include "dataplane/netdev/network_namespace.h"

namespace wakegate {

struct VisibleNamespaces {
  std::vector<NetworkNamespace> namespaces;
  // There are more that could not be opened: those of processes take CAP_SYS_PTRACE.
  bool incomplete = false;
};

// Each once: those that are mounted somewhere, and those that a process's main thread is in. Left
// out are those that do not belong to the calling thread's user namespace: whoever may make user
// namespaces is root in a network namespace of his own, and could put anything there for us to
// find. Reads /proc: some 10 µs for each process.
VisibleNamespaces FindVisibleNamespaces();

}  // namespace wakegate

#endif  // DATAPLANE_NETDEV_VISIBLE_NAMESPACES_H_
