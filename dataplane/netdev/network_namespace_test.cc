#include "dataplane/netdev/network_namespace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "dataplane/netdev/namespace_for_test.h"
#include "dataplane/netdev/network_device.h"

namespace wakegate {
namespace {

using ::testing::StartsWith;

class NetworkNamespaceTest : public testing::Test {
 protected:
  NetworkNamespaceTest() {
    EnterNewNetworkNamespace();
    EnterOwnRunFolder();
    Ip("netns add blue");
  }
};

bool HasDevice(const NetworkNamespace& network, const char* name) {
  return network.Run([&] { return NetworkDevice::Find(name).status(); }).ok();
}

TEST_F(NetworkNamespaceTest, IsOpenedByNameAndByPath) {
  Ip("-n blue link add veth0 type veth peer name veth1");
  for (const char* place : {"blue", "/run/netns/blue"}) {
    const absl::StatusOr<NetworkNamespace> blue = NetworkNamespace::Open(place);
    ASSERT_TRUE(blue.ok()) << blue.status();
    EXPECT_TRUE(HasDevice(*blue, "veth0"));
    EXPECT_FALSE(NetworkDevice::Find("veth0").ok()) << "the caller stayed where it was";
    EXPECT_EQ(blue->Name(), "blue");
  }
}

TEST_F(NetworkNamespaceTest, TheCallersOwnIsTheSameWhereverItWasOpened) {
  const NetworkNamespace own = *NetworkNamespace::Current();
  const NetworkNamespace blue = *NetworkNamespace::Open("blue");
  EXPECT_TRUE(own == *NetworkNamespace::Open("/proc/thread-self/ns/net"));
  EXPECT_FALSE(own == blue);
  EXPECT_TRUE(blue.Duplicate() == blue);
  EXPECT_THAT(own.Name(), StartsWith("net:["));
  ASSERT_TRUE(blue.Run([&] {
                    EXPECT_TRUE(*NetworkNamespace::Current() == blue);
                    return absl::OkStatus();
                  })
                  .ok());
}

TEST_F(NetworkNamespaceTest, WhatIsNoneIsRefused) {
  EXPECT_EQ(NetworkNamespace::Open("green").status().message(),
            "open network namespace /run/netns/green: No such file or directory (see \"ip netns "
            "list\", or give an absolute path)");
  EXPECT_EQ(NetworkNamespace::Open("green").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(NetworkNamespace::Open("/proc/0/ns/net").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(NetworkNamespace::Open("/dev/null").status().message(),
            "open network namespace /dev/null: Invalid argument (it is no namespace)");
  EXPECT_EQ(NetworkNamespace::Open("/proc/self/ns/uts").status().message(),
            "open network namespace /proc/self/ns/uts: Invalid argument (it is no network one)");
}

TEST_F(NetworkNamespaceTest, WithoutCapSysAdminOnlyTheOwnCanBeEntered) {
  const NetworkNamespace own = *NetworkNamespace::Current();
  const NetworkNamespace blue = *NetworkNamespace::Open("blue");
  std::thread([&] {
    __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const __user_cap_data_struct none[2] = {};
    ASSERT_EQ(syscall(SYS_capset, &header, none), 0);
    const auto work = [] { return absl::OkStatus(); };
    EXPECT_TRUE(own.Run(work).ok());
    EXPECT_EQ(blue.Run(work).message(),
              "enter a network namespace: Operation not permitted (needs CAP_SYS_ADMIN)");
  }).join();
}

}  // namespace
}  // namespace wakegate
