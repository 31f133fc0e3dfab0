// A second network namespace in the test's process.
#ifndef DATAPLANE_PORTS_AF_PACKET_OTHER_NAMESPACE_FOR_TEST_H_
#define DATAPLANE_PORTS_AF_PACKET_OTHER_NAMESPACE_FOR_TEST_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

#include "dataplane/kernel/file_descriptor.h"
#include "dataplane/netdev/namespace_for_test.h"

namespace wakegate {

// Empty at first, but for lo. Any thread, also several at a time.
class OtherNamespaceForTest {
 public:
  OtherNamespaceForTest() {
    std::thread([this] {
      EnterNewNetworkNamespace();
      namespace_ = FileDescriptor(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    }).join();
    EXPECT_TRUE(namespace_.valid());
  }

  // Runs it on a thread that is in there, and waits for its end. What it opens stays in there.
  void Run(const std::function<void()>& function) const {
    std::thread([&] {
      ASSERT_EQ(setns(namespace_.get(), CLONE_NEWNET), 0);
      function();
    }).join();
  }

  // For `ip link set … netns`.
  std::string path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(namespace_.get());
  }

 private:
  FileDescriptor namespace_;
};

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_AF_PACKET_OTHER_NAMESPACE_FOR_TEST_H_
