#include "dataplane/control/cpus.h"

#include <gtest/gtest.h>

namespace wakegate {
namespace {

using Cpus = std::vector<int>;

TEST(AssignCpusTest, AutoTakesACpusetButItsFirstCpu) {
  const auto assignment = AssignCpus("auto", {4, 5, 6, 7}, 16);
  ASSERT_TRUE(assignment.ok()) << assignment.status();
  EXPECT_EQ(assignment->workers, (Cpus{5, 6, 7}));
  EXPECT_EQ(assignment->housekeeping, (Cpus{4}));
}

TEST(AssignCpusTest, AutoTakesOneCpuOfAMachineThatNobodyDivided) {
  const auto assignment = AssignCpus("auto", {0, 1, 2, 3}, 4);
  ASSERT_TRUE(assignment.ok());
  EXPECT_EQ(assignment->workers, (Cpus{3}));
  EXPECT_EQ(assignment->housekeeping, (Cpus{0, 1, 2}));
}

TEST(AssignCpusTest, TheOnlyCpuIsShared) {
  const auto assignment = AssignCpus("auto", {3}, 4);
  ASSERT_TRUE(assignment.ok());
  EXPECT_EQ(assignment->workers, (Cpus{3}));
  EXPECT_EQ(assignment->housekeeping, (Cpus{3}));
}

TEST(AssignCpusTest, AListMayHaveRanges) {
  const auto assignment = AssignCpus("6,1-3", {0, 1, 2, 3, 4, 5, 6, 7}, 8);
  ASSERT_TRUE(assignment.ok()) << assignment.status();
  EXPECT_EQ(assignment->workers, (Cpus{1, 2, 3, 6}));
  EXPECT_EQ(assignment->housekeeping, (Cpus{0, 4, 5, 7}));
}

TEST(AssignCpusTest, WorkersOnAllCpusShareThemWithHousekeeping) {
  const auto assignment = AssignCpus("0,1", {0, 1}, 2);
  ASSERT_TRUE(assignment.ok());
  EXPECT_EQ(assignment->housekeeping, (Cpus{0, 1}));
}

TEST(AssignCpusTest, ACpuThatIsNotOursIsRefusedWithTheOnesThatAre) {
  const auto assignment = AssignCpus("9", {0, 1, 2}, 16);
  EXPECT_EQ(assignment.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(assignment.status().message().find("0-2"), std::string::npos) << assignment.status();
}

TEST(AssignCpusTest, NonsenseIsRefused) {
  for (const char* cores : {"", ",", "1,", "a", "3-1", "-1", "1-", "0x1", "1,1", "99999"}) {
    EXPECT_EQ(AssignCpus(cores, {0, 1, 2, 3}, 4).status().code(),
              absl::StatusCode::kInvalidArgument)
        << cores;
  }
}

TEST(CpuListTextTest, RunsAreShortened) {
  EXPECT_EQ(CpuListText({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(CpuListText({3}), "3");
  EXPECT_EQ(CpuListText({}), "");
}

TEST(ThreadCpusTest, WhatIsSetIsRead) {
  const Cpus all = ThreadCpus();
  ASSERT_FALSE(all.empty());
  ASSERT_TRUE(SetThreadCpus({all.back()}).ok());
  EXPECT_EQ(ThreadCpus(), (Cpus{all.back()}));
  EXPECT_TRUE(SetThreadCpus(all).ok());
}

}  // namespace
}  // namespace wakegate
