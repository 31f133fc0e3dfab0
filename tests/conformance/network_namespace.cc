#include "tests/conformance/network_namespace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "dataplane/netdev/namespace_for_test.h"

namespace wakegate::testing {
namespace {

FileDescriptor OwnNamespace() {
  FileDescriptor own(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(own.valid()) << std::strerror(errno);
  return own;
}

void Enter(const FileDescriptor& network) {
  EXPECT_EQ(setns(network.get(), CLONE_NEWNET), 0) << std::strerror(errno);
}

}  // namespace

NetworkNamespace::NetworkNamespace() {
  const FileDescriptor home = OwnNamespace();
  EnterNewNetworkNamespace();
  namespace_ = OwnNamespace();
  Enter(home);
}

std::string NetworkNamespace::path() const {
  return absl::StrCat("/proc/", getpid(), "/fd/", namespace_.get());
}

void NetworkNamespace::Ip(const std::string& arguments) const {
  const Visit visit(*this);
  wakegate::Ip(arguments);
}

NetworkNamespace::Visit::Visit(const NetworkNamespace& network) : home_(OwnNamespace()) {
  Enter(network.namespace_);
}

NetworkNamespace::Visit::~Visit() { Enter(home_); }

}  // namespace wakegate::testing
