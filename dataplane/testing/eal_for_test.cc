#include "dataplane/testing/eal_for_test.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace wakegate::testing {
namespace {

void InitializeEal() {
  // EAL makes <here>/dpdk/<file prefix>; /var/run is read-only in Bazel's sandbox.
  setenv("RUNTIME_DIRECTORY", ::testing::TempDir().c_str(), /*overwrite=*/1);
  cpu_set_t affinity;
  pthread_getaffinity_np(pthread_self(), sizeof(affinity), &affinity);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &affinity)) ++cpu;

  std::vector<std::string> arguments = {
      "test",
      "--no-huge",
      "--no-shconf",
      "--no-telemetry",
      "--no-pci",
      "--log-level=error",
      "-m",
      absl::StrCat(kEalMegabytes),
      "--file-prefix",
      absl::StrCat("wakegate-test-", getpid()),
      "--lcores",
      absl::StrCat("0@", cpu),
  };
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  if (rte_eal_init(static_cast<int>(argv.size()), argv.data()) < 0) {
    std::fprintf(stderr, "rte_eal_init with %u MB, no hugepages: %s\n", kEalMegabytes,
                 rte_strerror(rte_errno));
    std::abort();
  }
  // EAL has pinned this thread to one CPU.
  pthread_setaffinity_np(pthread_self(), sizeof(affinity), &affinity);
}

PacketPool MakePool(uint32_t count) {
  StartEalForTest();
  static int pools = 0;
  auto pool = PacketPool::Create(absl::StrCat("test-", pools++), count, SOCKET_ID_ANY);
  if (!pool.ok()) {
    std::fprintf(stderr, "%s\n", pool.status().ToString().c_str());
    std::abort();
  }
  return *std::move(pool);
}

}  // namespace

void StartEalForTest() {
  static const bool started = (InitializeEal(), true);
  (void)started;
}

PoolForTest::PoolForTest(uint32_t count) : pool_(MakePool(count)) {}

PoolForTest::~PoolForTest() {
  EXPECT_EQ(available(), count()) << "packets were not freed, or freed twice";
}

}  // namespace wakegate::testing
