#include "gateway/files/atomic_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "gateway/files/temporary_folder.h"

namespace wakegate {
namespace {

class AtomicFileTest : public testing::Test {
 protected:
  std::size_t FilesInFolder() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }

  const TemporaryFolder temporary_;
  const std::string folder_ = temporary_.path();
};

TEST_F(AtomicFileTest, WhatIsWrittenIsRead) {
  const AtomicFile file(folder_ + "/config.json");
  EXPECT_TRUE(absl::IsNotFound(file.Read().status()));
  const std::string content(100'000, 'x');
  ASSERT_TRUE(file.Write("first").ok());
  ASSERT_TRUE(file.Write(content).ok());
  EXPECT_EQ(*file.Read(), content);
  EXPECT_EQ(FilesInFolder(), 1U);
}

TEST_F(AtomicFileTest, PreparedButNotCommittedHasNoEffect) {
  const AtomicFile file(folder_ + "/config.json");
  ASSERT_TRUE(file.Write("old").ok());
  ASSERT_TRUE(file.Prepare("never agreed").ok());
  EXPECT_EQ(*file.Read(), "old");
  ASSERT_TRUE(file.Prepare("new").ok());
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_EQ(*file.Read(), "new");
}

TEST_F(AtomicFileTest, ErrorsNameTheCallTheFileAndTheAnswer) {
  const AtomicFile file(folder_ + "/missing/config.json");
  EXPECT_EQ(file.Write("x").message(),
            "open " + folder_ + "/missing/config.json.new: No such file or directory");
}

TEST_F(AtomicFileTest, NoSpaceLeavesTheOldFileAndNothingBeside) {
  // /dev/full answers each write with ENOSPC; the file beside is a link to it.
  const AtomicFile file(folder_ + "/config.json");
  ASSERT_TRUE(file.Write("old").ok());
  std::filesystem::create_symlink("/dev/full", folder_ + "/config.json.new");
  const absl::Status status = file.Prepare("new");
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(status.message(), "write " + folder_ + "/config.json.new: No space left on device");
  EXPECT_EQ(*file.Read(), "old");
  EXPECT_EQ(FilesInFolder(), 1U);
}

TEST_F(AtomicFileTest, PutAsideKeepsTheFileUnderAnotherName) {
  const AtomicFile file(folder_ + "/config.json");
  ASSERT_TRUE(file.Write("{ torn").ok());
  const auto aside = file.PutAside();
  ASSERT_TRUE(aside.ok()) << aside.status();
  EXPECT_EQ(aside->rfind(file.path() + ".bad-", 0), 0U) << *aside;
  EXPECT_TRUE(absl::IsNotFound(file.Read().status()));
  EXPECT_EQ(*AtomicFile(*aside).Read(), "{ torn");
}

}  // namespace
}  // namespace wakegate
