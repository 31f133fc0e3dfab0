#include "dataplane/control/run_lock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "gateway/files/temporary_folder.h"

namespace wakegate {
namespace {

TEST(RunLockTest, TheFolderIsMadeAndHasOneHolder) {
  const TemporaryFolder folder;
  const std::string run_dir = folder.path() + "/run/gateway";
  const auto first = LockRunDirectory(run_dir);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = LockRunDirectory(run_dir);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_NE(second.status().message().find(run_dir), std::string::npos) << second.status();
}

TEST(RunLockTest, AHolderThatIsJustGoingIsWaitedFor) {
  const TemporaryFolder folder;
  std::optional<FileDescriptor> first = *LockRunDirectory(folder.path());
  std::thread holder([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    first.reset();
  });
  EXPECT_TRUE(LockRunDirectory(folder.path()).ok());
  holder.join();
}

TEST(RunLockTest, AFolderThatCannotBeMadeIsNamed) {
  const auto lock = LockRunDirectory("/proc/no/such");
  EXPECT_FALSE(lock.ok());
  EXPECT_NE(lock.status().message().find("/proc/no/such"), std::string::npos) << lock.status();
}

}  // namespace
}  // namespace wakegate
