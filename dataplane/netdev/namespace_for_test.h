// A network namespace of a test's own.
#ifndef DATAPLANE_NETDEV_NAMESPACE_FOR_TEST_H_
#define DATAPLANE_NETDEV_NAMESPACE_FOR_TEST_H_

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <cstdlib>
#include <string>

namespace wakegate {

// Runs `ip <arguments>`, which must succeed, in the calling thread's network namespace.
inline void Ip(const std::string& arguments) {
  ASSERT_EQ(std::system(("ip " + arguments).c_str()), 0) << "ip " << arguments;
}

// Moves the calling thread, and the threads that it starts from now on, into a fresh and empty
// network namespace, which vanishes with them. Needs root.
inline void EnterNewNetworkNamespace() {
  ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "network tests need root";
  // Without router solicitations and the like, only the test's own packets are on a link.
  ASSERT_EQ(std::system("echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6"), 0);
  Ip("link set lo up");
}

// Gives the calling thread, and the threads that it starts from now on, a /run of their own, in
// which `ip netns add` works. Needs root.
inline void EnterOwnRunFolder() {
  ASSERT_EQ(unshare(CLONE_NEWNS), 0) << "network tests need root";
  ASSERT_EQ(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  ASSERT_EQ(mount("none", "/run", "tmpfs", 0, nullptr), 0);
}

}  // namespace wakegate

#endif  // DATAPLANE_NETDEV_NAMESPACE_FOR_TEST_H_
