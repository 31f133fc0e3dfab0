// Where network namespaces are mounted.
#ifndef DATAPLANE_NETDEV_NAMESPACE_MOUNTS_H_
#define DATAPLANE_NETDEV_NAMESPACE_MOUNTS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace wakegate {

struct NamespaceMount {
  ino_t inode;
  std::string path;
};

// All network namespaces that are mounted somewhere in this process's file system, in the order of
// their mounting: those of "ip netns add" in /run/netns, those of container runtimes elsewhere.
// One may be there several times. A path with blanks is as in /proc/self/mountinfo.
std::vector<NamespaceMount> NetworkNamespaceMounts();

}  // namespace wakegate

#endif  // DATAPLANE_NETDEV_NAMESPACE_MOUNTS_H_
