// Runs the real `wakegate` with small shell scripts in the place of the two programs.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gateway/files/temporary_folder.h"
#include "gateway/testing/eventually.h"
#include "gateway/version/version.h"

namespace wakegate {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A program that runs until it is told to end, and notes both.
constexpr char kWellBehaved[] = R"(
trap 'echo "$name ended" >> $dir/events; exit 0' TERM
echo "$name started" >> $dir/events
while :; do sleep 0.02; done)";

constexpr char kIgnoresSigterm[] = R"(
trap '' TERM
while :; do sleep 0.02; done)";

class LauncherTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteProgram("dataplane", kWellBehaved);
    WriteProgram("mgmt", kWellBehaved);
  }

  void TearDown() override {
    if (launcher_ == 0) return;
    kill(launcher_, SIGKILL);
    waitpid(launcher_, nullptr, 0);
  }

  // A script that knows its $name and the test's $dir, and leaves its process id in $name.pid.
  void WriteProgram(const std::string& name, const std::string& body) {
    const std::string path = dir_ + "/" + name;
    std::ofstream(path) << "#!/bin/sh\nname=" << name << "\ndir=" << dir_
                        << "\necho $$ > $dir/$$.new && mv $dir/$$.new $dir/$name.pid\n"
                        << body << "\n";
    chmod(path.c_str(), 0755);
  }

  void StartLauncher(std::vector<std::string> flags,
                     const posix_spawnattr_t* attributes = nullptr) {
    const char* const runfiles = std::getenv("TEST_SRCDIR");
    ASSERT_NE(runfiles, nullptr);
    std::vector<std::string> command = {
        std::string(runfiles) + "/wakegate/gateway/launcher/wakegate",
        "--dataplane=" + dir_ + "/dataplane", "--mgmt=" + dir_ + "/mgmt"};
    command.insert(command.end(), flags.begin(), flags.end());
    std::vector<char*> argv;
    for (std::string& argument : command) argv.push_back(argument.data());
    argv.push_back(nullptr);

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (int fd : {STDOUT_FILENO, STDERR_FILENO}) {
      posix_spawn_file_actions_addopen(&files, fd, (dir_ + "/output").c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0644);
    }
    ASSERT_EQ(posix_spawn(&launcher_, argv[0], &files, attributes, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&files);
  }

  // The launcher's exit status, once it has ended.
  int WaitForExit() {
    int status = 0;
    EXPECT_EQ(waitpid(launcher_, &status, 0), launcher_);
    launcher_ = 0;
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    return WEXITSTATUS(status);
  }

  std::string Read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(dir_ + "/" + name).rdbuf();
    return text.str();
  }

  std::vector<std::string> ReadLines(const std::string& name) const {
    std::vector<std::string> lines;
    std::ifstream file(dir_ + "/" + name);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  // The process id of a program that has started, other than that of a run before. Throws, which
  // fails the test: kill() must not be given a wrong one.
  pid_t WaitForPid(const std::string& name, pid_t other_than = 0) const {
    pid_t pid = 0;
    const bool started = Eventually([&] {
      pid = std::atoi(Read(name + ".pid").c_str());
      return pid > 0 && pid != other_than;
    });
    if (!started) throw std::runtime_error(name + " did not start: " + Read("output"));
    return pid;
  }

  void WaitForLines(const std::string& name, size_t count) {
    EXPECT_TRUE(Eventually([&] { return ReadLines(name).size() >= count; })) << Read("output");
  }

  // Ended: gone, or a zombie that its new parent has yet to collect.
  static bool IsRunning(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string id, name, state;
    return (stat >> id >> name >> state) && state != "Z";
  }

  const TemporaryFolder folder_;
  const std::string dir_ = folder_.path();
  pid_t launcher_ = 0;
};

TEST_F(LauncherTest, SigtermStopsMgmtFirstThenTheDataPlane) {
  StartLauncher({});
  WaitForLines("events", 2);
  kill(launcher_, SIGTERM);
  EXPECT_EQ(WaitForExit(), 0) << Read("output");
  const auto events = ReadLines("events");
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[2], "mgmt ended");
  EXPECT_EQ(events[3], "dataplane ended");
}

TEST_F(LauncherTest, SigintAndSighupStopBothLikewise) {
  size_t events = 0;
  for (int signal : {SIGINT, SIGHUP}) {
    StartLauncher({});
    WaitForLines("events", events + 2);
    kill(launcher_, signal);
    EXPECT_EQ(WaitForExit(), 0) << Read("output");
    events += 4;
    EXPECT_EQ(ReadLines("events").size(), events);
  }
}

TEST_F(LauncherTest, StartsAgainTheOneThatWasKilledAndLeavesTheOtherAlone) {
  StartLauncher({});
  const pid_t dataplane = WaitForPid("dataplane");
  const pid_t mgmt = WaitForPid("mgmt");
  kill(mgmt, SIGKILL);
  WaitForPid("mgmt", mgmt);
  EXPECT_EQ(WaitForPid("dataplane"), dataplane);
  EXPECT_TRUE(IsRunning(dataplane));
  EXPECT_THAT(Read("output"), HasSubstr("wakegate-mgmt was ended by signal 9 (Killed)"));
}

TEST_F(LauncherTest, WaitsLongerBeforeEachStartOfAProgramThatCrashesAgainAndAgain) {
  WriteProgram("dataplane", "echo >> $dir/starts\nkill -SEGV $$");
  const auto begin = std::chrono::steady_clock::now();
  StartLauncher({});
  WaitForLines("starts", 5);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(100 + 200 + 400 + 800));
  for (const char* delay : {"100", "200", "400", "800"}) {
    EXPECT_THAT(Read("output"), HasSubstr(std::string("starting it again in ") + delay + " ms"));
  }
}

TEST_F(LauncherTest, ProgramThatExitsAsSoonAsItStartsEndsTheGateway) {
  WriteProgram("mgmt", "sleep 0.2; exit 3");
  StartLauncher({});
  EXPECT_EQ(WaitForExit(), 1);
  EXPECT_THAT(Read("output"),
              HasSubstr("wakegate-mgmt exited with status 3 as soon as it started"));
  EXPECT_THAT(ReadLines("events"), ElementsAre("dataplane started", "dataplane ended"));
}

TEST_F(LauncherTest, ProgramThatExitsLaterIsStartedAgain) {
  WriteProgram("mgmt", "echo >> $dir/starts; sleep 1.2; exit 3");
  StartLauncher({});
  WaitForLines("starts", 2);
  EXPECT_THAT(Read("output"), HasSubstr("wakegate-mgmt exited with status 3 after"));
}

TEST_F(LauncherTest, ProgramThatIsNotThereIsAnErrorThatNamesIt) {
  unlink((dir_ + "/mgmt").c_str());
  StartLauncher({});
  EXPECT_EQ(WaitForExit(), 1);
  EXPECT_THAT(Read("output"), HasSubstr("execve " + dir_ + "/mgmt: No such file or directory"));
}

TEST_F(LauncherTest, ProgramThatVanishesLeavesTheOtherRunning) {
  StartLauncher({});
  const pid_t mgmt = WaitForPid("mgmt");
  unlink((dir_ + "/mgmt").c_str());
  kill(mgmt, SIGKILL);
  EXPECT_TRUE(Eventually(
      [&] { return Read("output").find("mgmt: No such file or directory") != std::string::npos; }));
  EXPECT_TRUE(IsRunning(WaitForPid("dataplane")));
  WriteProgram("mgmt", kWellBehaved);
  WaitForPid("mgmt", mgmt);
}

TEST_F(LauncherTest, ProgramThatDoesNotEndIsKilledAndSaidSo) {
  WriteProgram("dataplane", kIgnoresSigterm);
  StartLauncher({"--stop-timeout=0.3"});
  const pid_t dataplane = WaitForPid("dataplane");
  WaitForLines("events", 1);
  kill(launcher_, SIGTERM);
  EXPECT_EQ(WaitForExit(), 1);
  EXPECT_FALSE(IsRunning(dataplane));
  EXPECT_THAT(Read("output"),
              HasSubstr("wakegate-dataplane had not ended 300 ms after SIGTERM and was killed"));
  EXPECT_THAT(ReadLines("events"), ElementsAre("mgmt started", "mgmt ended"));
}

TEST_F(LauncherTest, ProgramThatFailsToStopCleanlyIsSaidSo) {
  WriteProgram("mgmt", "trap 'exit 7' TERM\necho >> $dir/ready\nwhile :; do sleep 0.02; done");
  StartLauncher({});
  WaitForLines("ready", 1);
  kill(launcher_, SIGTERM);
  EXPECT_EQ(WaitForExit(), 1);
  EXPECT_THAT(Read("output"), HasSubstr("wakegate-mgmt exited with status 7 when told to stop"));
}

TEST_F(LauncherTest, BothEndWithALauncherThatIsKilled) {
  WriteProgram("dataplane", kIgnoresSigterm);
  StartLauncher({});
  const pid_t dataplane = WaitForPid("dataplane");
  const pid_t mgmt = WaitForPid("mgmt");
  kill(launcher_, SIGKILL);
  waitpid(launcher_, nullptr, 0);
  launcher_ = 0;
  EXPECT_TRUE(Eventually([&] { return !IsRunning(dataplane) && !IsRunning(mgmt); }));
}

TEST_F(LauncherTest, ProgramsHaveAnEmptySignalMaskAndDefaultActionsWhateverTheLaunchersAre) {
  WriteProgram("dataplane",
               "grep -E '^Sig(Blk|Ign)' /proc/self/status > $dir/signals.new\n"
               "mv $dir/signals.new $dir/signals\n" +
                   std::string(kWellBehaved));
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t blocked;
  sigemptyset(&blocked);
  for (int signal : {SIGIO, SIGTERM, SIGCHLD, SIGRTMIN}) sigaddset(&blocked, signal);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  auto* const before = std::signal(SIGINT, SIG_IGN);
  StartLauncher({}, &attributes);
  std::signal(SIGINT, before);
  posix_spawnattr_destroy(&attributes);

  WaitForLines("signals", 2);
  const auto signals = ReadLines("signals");
  EXPECT_EQ(signals[0], "SigBlk:\t0000000000000000");
  // Of the first 31; glibc keeps 32 and 33 to itself, and Bazel leaves them ignored.
  EXPECT_EQ(std::stoull(signals[1].substr(sizeof("SigIgn:")), nullptr, 16) & 0x7fffffff, 0u);
  kill(launcher_, SIGTERM);
  EXPECT_EQ(WaitForExit(), 0) << Read("output");
}

TEST_F(LauncherTest, EachProgramGetsItsFlagsAndNoOther) {
  const std::string note_flags =
      "echo \"$@\" > $dir/$name.flags.new\n"
      "mv $dir/$name.flags.new $dir/$name.flags\n";
  WriteProgram("dataplane", note_flags + kWellBehaved);
  WriteProgram("mgmt", note_flags + kWellBehaved);
  StartLauncher({"--run-dir=/r", "--state-dir=/s", "--cores=1-2", "--listen=127.0.0.1:1",
                 "--metrics-listen=127.0.0.1:2", "--log-level=debug", "--", "--memory", "128"});
  WaitForLines("dataplane.flags", 1);
  WaitForLines("mgmt.flags", 1);
  EXPECT_EQ(Read("dataplane.flags"), "--run-dir /r --cores 1-2 --log-level debug --memory 128\n");
  EXPECT_EQ(Read("mgmt.flags"),
            "--run-dir /r --state-dir /s --listen 127.0.0.1:1 --metrics-listen 127.0.0.1:2 "
            "--log-level debug\n");
}

TEST_F(LauncherTest, FlagsThatAreNotGivenAreNotHandedOnButTheLogLevelIs) {
  WriteProgram("mgmt", "echo \"$@\" > $dir/flags.new; mv $dir/flags.new $dir/flags" +
                           std::string(kWellBehaved));
  StartLauncher({});
  WaitForLines("flags", 1);
  EXPECT_EQ(Read("flags"), "--log-level info\n");
}

TEST_F(LauncherTest, SaysItsVersionAndStartsNothing) {
  StartLauncher({"--version"});
  EXPECT_EQ(WaitForExit(), 0);
  EXPECT_EQ(Read("output"), std::string("wakegate ") + kVersion + "\n");
  EXPECT_THAT(ReadLines("events"), ElementsAre());
}

TEST_F(LauncherTest, UnknownFlagIsWrongUsage) {
  StartLauncher({"--corse=1"});
  EXPECT_EQ(WaitForExit(), 2);
  EXPECT_THAT(Read("output"), HasSubstr("--corse=1"));
  EXPECT_THAT(Read("output"), Not(HasSubstr("started")));
}

}  // namespace
}  // namespace wakegate
