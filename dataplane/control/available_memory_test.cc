#include "dataplane/control/available_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gateway/files/temporary_folder.h"

namespace wakegate {
namespace {

class AvailableMemoryTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_.path() + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  AvailableMemory Read() {
    return ReadAvailableMemory(folder_.path() + "/proc", folder_.path() + "/cgroup");
  }

  TemporaryFolder folder_;
};

constexpr char kMeminfo[] =
    "MemTotal:       24000000 kB\nMemFree:         1000 kB\nMemAvailable:    2048000 kB\n";

TEST_F(AvailableMemoryTest, WithoutACgroupTheMachineIsTheLimit) {
  Write("proc/meminfo", kMeminfo);
  EXPECT_EQ(Read().megabytes, 2000U);
  EXPECT_EQ(Read().limit, "this machine");
}

TEST_F(AvailableMemoryTest, ALimitOfACgroupAboveOursCounts) {
  Write("proc/meminfo", kMeminfo);
  Write("proc/self/cgroup", "0::/pods/one\n");
  Write("cgroup/pods/one/memory.max", "max\n");
  Write("cgroup/pods/memory.max", "104857600\n");
  Write("cgroup/pods/memory.current", "41943040\n");
  EXPECT_EQ(Read().megabytes, 60U);
  EXPECT_NE(Read().limit.find("/pods/memory.max"), std::string::npos) << Read().limit;
}

TEST_F(AvailableMemoryTest, AnExhaustedLimitLeavesNothing) {
  Write("proc/self/cgroup", "0::/\n");
  Write("cgroup/memory.max", "100\n");
  Write("cgroup/memory.current", "200\n");
  EXPECT_EQ(Read().megabytes, 0U);
}

TEST_F(AvailableMemoryTest, WhatCannotBeReadLimitsNothing) {
  EXPECT_GT(Read().megabytes, uint64_t{1} << 40);
}

TEST(AvailableMemoryOfThisMachineTest, IsSomething) {
  const AvailableMemory memory = ReadAvailableMemory();
  EXPECT_GT(memory.megabytes, 0U);
  EXPECT_LT(memory.megabytes, uint64_t{1} << 40);
}

}  // namespace
}  // namespace wakegate
