#include "gateway/files/folder_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gateway/files/temporary_folder.h"

namespace wakegate {
namespace {

const FolderUse kUse = {.file = "mgmt.lock", .program = "wakegate-mgmt", .flag = "--state-dir"};

TEST(FolderLockTest, TheFolderIsMadeAndHasOneHolderWhoIsNamed) {
  const TemporaryFolder parent;
  const std::string folder = parent.path() + "/lib/gateway";
  const auto first = FolderLock::Take(folder, kUse);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = FolderLock::Take(folder, kUse);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(second.status().message(),
            absl::StrCat("another wakegate-mgmt (process ", getpid(), ") runs with --state-dir ",
                         folder, "; stop it or name another"));
}

TEST(FolderLockTest, AHolderThatIsJustGoingIsWaitedFor) {
  const TemporaryFolder folder;
  std::optional<FolderLock> first = *FolderLock::Take(folder.path(), kUse);
  std::thread holder([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    first.reset();
  });
  EXPECT_TRUE(FolderLock::Take(folder.path(), kUse).ok());
  holder.join();
}

TEST(FolderLockTest, LocksOfOtherUsesDoNotExcludeEachOther) {
  const TemporaryFolder folder;
  const auto first = FolderLock::Take(folder.path(), kUse);
  EXPECT_TRUE(
      FolderLock::Take(folder.path(), {"dataplane.lock", "wakegate-dataplane", "--run-dir"}).ok());
}

TEST(FolderLockTest, AFolderThatCannotBeMadeIsNamed) {
  const auto lock = FolderLock::Take("/proc/no/such", kUse);
  EXPECT_FALSE(lock.ok());
  EXPECT_NE(lock.status().message().find("make the folder /proc/no/such"), std::string::npos)
      << lock.status();
}

}  // namespace
}  // namespace wakegate
