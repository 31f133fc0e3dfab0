// wake_delay --cpu N: how long the machine takes to wake a thread that blocks on that CPU, each
// time after a pause; with --keep-awake its CPU is kept out of sleep states where the kernel can
// (/dev/cpu_dma_latency). Nothing that wakes a worker can be faster. Prints a JSON object:
// {"nanoseconds": […]}.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "dataplane/kernel/file_descriptor.h"

namespace wakegate::testing {
namespace {

using Clock = std::chrono::steady_clock;

struct Flags {
  int cpu = 0;
  int pause_microseconds = 1000;
  int count = 100;
  bool keep_awake = false;
};

int Fail(const char* what, int error) {
  std::fprintf(stderr, "wake_delay: %s: %s\n", what, std::strerror(error));
  return EXIT_FAILURE;
}

// Blocks, and notes when it woke.
class Sleeper {
 public:
  explicit Sleeper(int bell) : bell_(bell) {}

  void Run(int count) {
    for (int i = 0; i < count; ++i) {
      eventfd_t value;
      if (eventfd_read(bell_, &value) != 0) std::abort();
      woken_.store(Clock::now().time_since_epoch().count(), std::memory_order_release);
    }
  }
  // When it woke after the last call.
  Clock::time_point WaitUntilWoken() {
    Clock::rep woken;
    while ((woken = woken_.exchange(0, std::memory_order_acquire)) == 0) continue;
    return Clock::time_point(Clock::duration(woken));
  }

 private:
  int bell_;
  std::atomic<Clock::rep> woken_{0};
};

// While the file is open. Not valid where the kernel refuses.
FileDescriptor KeepAwake() {
  FileDescriptor latency(open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC));
  const int32_t none = 0;
  const bool set = latency.valid() && write(latency.get(), &none, sizeof(none)) == sizeof(none);
  return set ? std::move(latency) : FileDescriptor();
}

int Run(const Flags& flags) {
  const FileDescriptor latency = flags.keep_awake ? KeepAwake() : FileDescriptor();
  if (flags.keep_awake && !latency.valid()) return Fail("/dev/cpu_dma_latency", errno);
  const FileDescriptor bell(eventfd(0, EFD_CLOEXEC));
  if (!bell.valid()) return Fail("eventfd", errno);
  Sleeper sleeper(bell.get());
  std::thread thread([&] { sleeper.Run(flags.count); });
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(flags.cpu, &cpus);
  if (const int error = pthread_setaffinity_np(thread.native_handle(), sizeof(cpus), &cpus)) {
    std::exit(Fail("set the CPU", error));
  }
  std::string times;
  for (int i = 0; i < flags.count; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(flags.pause_microseconds));
    const Clock::time_point rung = Clock::now();
    if (eventfd_write(bell.get(), 1) != 0) std::exit(Fail("eventfd", errno));
    const std::chrono::nanoseconds took = sleeper.WaitUntilWoken() - rung;
    absl::StrAppend(&times, i == 0 ? "" : ", ", took.count());
  }
  thread.join();
  std::printf("{\"nanoseconds\": [%s]}\n", times.c_str());
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace wakegate::testing

int main(int argc, char** argv) {
  CLI::App app("Times how long the machine takes to wake a thread.", "wake_delay");
  wakegate::testing::Flags flags;
  app.add_option("--cpu", flags.cpu, "Where the thread blocks")->required();
  app.add_option("--pause", flags.pause_microseconds, "Before each wakeup, in microseconds");
  app.add_option("--count", flags.count, "Wakeups");
  app.add_flag("--keep-awake", flags.keep_awake, "Keep the CPU out of sleep states");
  CLI11_PARSE(app, argc, argv);
  return wakegate::testing::Run(flags);
}
