#include "gateway/process/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace wakegate {
namespace {

TEST(OpenFilesTest, TheLimitIsWhatTheSystemAllows) {
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  RaiseOpenFileLimit();
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_GT(limit.rlim_cur, 64U);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
}

}  // namespace
}  // namespace wakegate
