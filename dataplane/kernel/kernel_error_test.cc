#include "dataplane/kernel/kernel_error.h"

#include <gtest/gtest.h>

namespace wakegate {
namespace {

TEST(KernelErrorTest, SaysWhatWasTriedWhatTheSystemAnsweredAndWhatToDo) {
  EXPECT_EQ(
      KernelError(EPERM, "TUNSETIFF tap0", "needs CAP_NET_ADMIN"),
      absl::PermissionDeniedError("TUNSETIFF tap0: Operation not permitted (needs CAP_NET_ADMIN)"));
  EXPECT_EQ(KernelError(ENODEV, "tap tap0"), absl::NotFoundError("tap tap0: No such device"));
}

TEST(KernelErrorTest, WithTooManyOpenFilesItSaysWhichLimitToRaise) {
  EXPECT_EQ(KernelError(EMFILE, "open /dev/net/tun", "is the module tun loaded?"),
            absl::ResourceExhaustedError(
                "open /dev/net/tun: Too many open files (raise the data plane's limit: "
                "LimitNOFILE= of its systemd unit, or ulimit -n)"));
  EXPECT_EQ(KernelError(ENFILE, "open /dev/net/tun"),
            absl::ResourceExhaustedError(
                "open /dev/net/tun: Too many open files in system (raise that of the whole "
                "machine: sysctl fs.file-max)"));
}

}  // namespace
}  // namespace wakegate
