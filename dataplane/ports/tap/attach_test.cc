#include "dataplane/ports/tap/attach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "dataplane/netdev/namespace_for_test.h"

namespace wakegate {
namespace {

using ::testing::HasSubstr;

// What AttachTap says in a thread that has first called `prepare`.
template <class Prepare>
absl::Status AttachAfter(Prepare prepare) {
  absl::Status status;
  std::thread([&] {
    prepare();
    status = AttachTap("tap0", 1).status();
  }).join();
  return status;
}

// Another process, in the calling thread's network namespace, that has a tap until it is killed.
class HolderProcess {
 public:
  explicit HolderProcess(const std::string& tap) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      const absl::StatusOr<AttachedTap> held = AttachTap(tap, 1);
      const bool is_held = held.ok();
      if (write(ends[1], &is_held, sizeof(is_held)) < 0) _exit(1);
      for (;;) pause();
    }
    bool is_held = false;
    EXPECT_EQ(read(ends[0], &is_held, sizeof(is_held)), ssize_t{sizeof(is_held)});
    EXPECT_TRUE(is_held);
    for (const int end : ends) close(end);
  }
  ~HolderProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  HolderProcess(const HolderProcess&) = delete;
  HolderProcess& operator=(const HolderProcess&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

class AttachTapTest : public ::testing::Test {
 protected:
  AttachTapTest() { EnterNewNetworkNamespace(); }
};

TEST_F(AttachTapTest, WithoutCapNetAdminSaysSo) {
  const absl::Status status = AttachAfter([] {
    __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const __user_cap_data_struct none[2] = {};
    ASSERT_EQ(syscall(SYS_capset, &header, none), 0);
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(status.message(), "TUNSETIFF tap0: Operation not permitted (needs CAP_NET_ADMIN)");
}

TEST_F(AttachTapTest, WithoutDevNetTunSaysWhatToDo) {
  const absl::Status status = AttachAfter([] {
    ASSERT_EQ(unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(mount("none", "/dev/net", "tmpfs", 0, nullptr), 0);
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "open /dev/net/tun: No such file or directory (load it with \"modprobe tun\"; a "
            "container must be given the device)");
}

TEST_F(AttachTapTest, ADeviceInUseIsRefusedWithTheNameOfItsHolder) {
  const HolderProcess holder("tap0");
  const absl::Status status = AttachTap("tap0", 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "TUNSETIFF tap0: Device or resource busy (held by attach_test, process " +
                std::to_string(holder.pid()) + "; end it, or choose another interface name)");
}

TEST_F(AttachTapTest, ADeviceThatAnotherPortHasDoesNotBlameTheProcess) {
  const absl::StatusOr<AttachedTap> first = AttachTap("tap0", 1);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(AttachTap("tap0", 1).status().message(),
            "TUNSETIFF tap0: Device or resource busy (another port has it; choose another "
            "interface name)");
}

TEST_F(AttachTapTest, ATapOfSeveralQueuesThatSomebodyHasIsNotShared) {
  absl::StatusOr<AttachedTap> first = AttachTap("tap0", 2);
  ASSERT_TRUE(first.ok()) << first.status();
  for (const uint32_t queues : {1, 2}) {
    EXPECT_EQ(AttachTap("tap0", queues).status().message(),
              "tap tap0: Device or resource busy (another port has it; choose another interface "
              "name)");
  }
  first->queues.resize(1);
  EXPECT_FALSE(AttachTap("tap0", 1).ok()) << "one is still held";
  first->queues.clear();
  EXPECT_TRUE(AttachTap("tap0", 2).ok());
}

TEST_F(AttachTapTest, TheHolderOfANamesakeInAnotherNamespaceIsNotBlamed) {
  const absl::StatusOr<AttachedTap> namesake = AttachTap("tap0", 1);
  ASSERT_TRUE(namesake.ok()) << namesake.status();
  std::thread([] {
    EnterNewNetworkNamespace();
    const HolderProcess holder("tap0");
    EXPECT_THAT(std::string(AttachTap("tap0", 1).status().message()),
                HasSubstr("process " + std::to_string(holder.pid())));
  }).join();
}

TEST_F(AttachTapTest, ADeviceThatIsBusyForAMomentIsWaitedFor) {
  absl::StatusOr<AttachedTap> first = AttachTap("tap0", 1);
  ASSERT_TRUE(first.ok()) << first.status();
  std::thread closer([&] {
    usleep(50'000);
    first->queues.clear();
  });
  const absl::StatusOr<AttachedTap> second = AttachTap("tap0", 1);
  EXPECT_TRUE(second.ok()) << second.status();
  closer.join();
}

TEST_F(AttachTapTest, AnotherKindOfDeviceIsRefused) {
  Ip("link add veth0 type veth peer name veth1");
  EXPECT_THAT(std::string(AttachTap("veth0", 1).status().message()),
              HasSubstr("(it exists and is veth, not a tap; choose another interface name)"));
  EXPECT_THAT(std::string(AttachTap("lo", 1).status().message()),
              HasSubstr("(it exists and is no tap; choose another interface name)"));
  Ip("tuntap add tun0 mode tun");
  EXPECT_THAT(std::string(AttachTap("tun0", 1).status().message()),
              HasSubstr("(it exists and is a tun, not a tap; choose another interface name)"));
}

TEST_F(AttachTapTest, ADeviceWithOneQueueIsNotEnoughForTwo) {
  Ip("tuntap add tap0 mode tap");
  const absl::Status status = AttachTap("tap0", 2).status();
  EXPECT_EQ(status.message(),
            "TUNSETIFF tap0: Invalid argument (it exists with one queue only; delete it with \"ip "
            "link del tap0\", or ask for one queue)");
  const absl::StatusOr<AttachedTap> tap = AttachTap("tap0", 1);
  EXPECT_TRUE(tap.ok()) << tap.status();
}

TEST_F(AttachTapTest, ANameThatNoDeviceCanHaveIsRefused) {
  EXPECT_EQ(AttachTap("", 1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(AttachTap(std::string(16, 'x'), 1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(AttachTap(std::string(15, 'x'), 1).ok());
}

}  // namespace
}  // namespace wakegate
