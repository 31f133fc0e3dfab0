// The real program as a process: how it starts, stops, and says what is wrong.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/client/client.h"
#include "gateway/files/temporary_folder.h"
#include "gateway/paths/paths.h"
#include "gateway/testing/eventually.h"
#include "gateway/version/version.h"
#include "mgmt/testing/configs.h"
#include "mgmt/testing/fake_dataplane.h"
#include "mgmt/testing/scrape.h"

namespace wakegate {
namespace {

using std::chrono::steady_clock;

// One run of wakegate-mgmt with its standard output and error in a file.
class Program {
 public:
  Program(const std::string& log_path, const std::vector<std::string>& arguments)
      : log_path_(log_path) {
    std::vector<std::string> words = {"mgmt/wakegate-mgmt"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_path.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    EXPECT_EQ(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Program() {
    if (pid_ != 0) {
      Kill(SIGKILL);
      Wait();
    }
  }

  pid_t pid() const { return pid_; }
  void Kill(int signal_number) const { kill(pid_, signal_number); }
  // Its exit code; -1 where a signal ended it.
  int Wait() {
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string Log() const {
    std::ifstream file(log_path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The port after this text in the log; 0 where it is not there.
  int PortAfter(const std::string& text) const {
    const std::string log = Log();
    const std::size_t at = log.find(text);
    return at == std::string::npos ? 0 : std::atoi(log.c_str() + at + text.size());
  }
  bool Serves() const {
    return Eventually([this] { return Log().find("metrics on ") != std::string::npos; });
  }

 private:
  const std::string log_path_;
  pid_t pid_ = 0;
};

class MainTest : public testing::Test {
 protected:
  std::unique_ptr<Program> Start(std::vector<std::string> more = {}) {
    const std::vector<std::string> arguments = {
        "--run-dir", folder_.path() + "/run", "--state-dir",      folder_.path() + "/state",
        "--listen",  "127.0.0.1:0",           "--metrics-listen", "127.0.0.1:0"};
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return std::make_unique<Program>(absl::StrCat(folder_.path(), "/log", ++programs_), more);
  }
  // What it says and its exit code, of a run that ends by itself.
  std::string SaysAndEnds(const std::vector<std::string>& arguments, int exit_code) {
    Program program(folder_.path() + "/said", arguments);
    EXPECT_EQ(program.Wait(), exit_code);
    return program.Log();
  }
  v1::GetStatusResponse GetStatus() {
    Client client("unix:" + run_dir_ + "/api.sock");
    v1::GetStatusResponse response;
    grpc::ClientContext context;
    const grpc::Status status = client.gateway().GetStatus(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  const TemporaryFolder folder_;
  const std::string run_dir_ = folder_.path() + "/run";
  int programs_ = 0;
};

TEST_F(MainTest, ServesStreamsAndStopsCleanlyWithinASecond) {
  std::filesystem::create_directory(run_dir_);
  FakeDataplane dataplane(run_dir_);
  dataplane.Start("boot-1");
  const auto program = Start();
  ASSERT_TRUE(program->Serves()) << program->Log();
  ASSERT_TRUE(Eventually([&] { return GetStatus().in_sync(); }));
  EXPECT_NE(ScrapeMetrics(program->PortAfter("metrics on 127.0.0.1:")).find("dataplane_up 1"),
            std::string::npos);
  struct stat state = {};
  ASSERT_EQ(stat((folder_.path() + "/state").c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0007, 0U);

  Client client("unix:" + ApiSocketPath(run_dir_));
  grpc::ClientContext context;
  const auto stream = client.stats().StreamStats(&context, {});
  v1::StreamStatsResponse response;
  ASSERT_TRUE(stream->Read(&response));
  const auto start = steady_clock::now();
  program->Kill(SIGTERM);
  while (stream->Read(&response)) continue;
  EXPECT_FALSE(stream->Finish().ok());
  EXPECT_EQ(program->Wait(), 0) << program->Log();
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_FALSE(std::filesystem::exists(ApiSocketPath(run_dir_)));
}

TEST_F(MainTest, AScrapeAndACallRightAfterTheStartAreAnswered) {
  const auto program = Start();
  ASSERT_TRUE(program->Serves()) << program->Log();
  EXPECT_NE(ScrapeMetrics(program->PortAfter("metrics on 127.0.0.1:")).find("dataplane_up 0"),
            std::string::npos);
  EXPECT_FALSE(GetStatus().dataplane_connected());
  Client client("unix:" + ApiSocketPath(run_dir_));
  v1::GetConfigResponse config;
  grpc::ClientContext context;
  EXPECT_EQ(client.gateway().GetConfig(&context, {}, &config).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  program->Kill(SIGINT);
  EXPECT_EQ(program->Wait(), 0);
}

TEST_F(MainTest, TheSocketOfAKilledOneIsReplacedAndThatOfALivingOneIsNot) {
  {
    const auto killed = Start();
    ASSERT_TRUE(killed->Serves());
    killed->Kill(SIGKILL);
    EXPECT_EQ(killed->Wait(), -1);
    EXPECT_TRUE(std::filesystem::exists(ApiSocketPath(run_dir_)));
  }
  const auto living = Start();
  ASSERT_TRUE(living->Serves()) << living->Log();
  const std::string said =
      SaysAndEnds({"--run-dir", run_dir_, "--state-dir", folder_.path() + "/other", "--listen",
                   "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"},
                  1);
  EXPECT_NE(said.find("api.sock: another process listens there"), std::string::npos) << said;
  EXPECT_EQ(GetStatus().mgmt_version(), kVersion);
}

TEST_F(MainTest, TheStateFolderOfAKilledOneIsFreeAndThatOfALivingOneIsNot) {
  {
    const auto killed = Start();
    ASSERT_TRUE(killed->Serves());
    killed->Kill(SIGKILL);
    EXPECT_EQ(killed->Wait(), -1);
  }
  const auto living = Start();
  ASSERT_TRUE(living->Serves()) << living->Log();
  const std::string state_dir = folder_.path() + "/state";
  // It has all else of its own.
  const std::string said =
      SaysAndEnds({"--run-dir", folder_.path() + "/other", "--state-dir", state_dir, "--listen",
                   "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"},
                  1);
  EXPECT_NE(said.find(absl::StrCat("another wakegate-mgmt (process ", living->pid(),
                                   ") runs with --state-dir ", state_dir)),
            std::string::npos)
      << said;
  EXPECT_EQ(GetStatus().mgmt_version(), kVersion);
}

TEST_F(MainTest, AddressesInUseAreNamed) {
  const auto program = Start();
  ASSERT_TRUE(program->Serves());
  const std::string other = folder_.path() + "/other";
  const std::string api = absl::StrCat("127.0.0.1:", program->PortAfter("api.sock and 127.0.0.1:"));
  EXPECT_NE(SaysAndEnds({"--run-dir", other, "--state-dir", other, "--listen", api}, 1)
                .find(absl::StrCat("listen on ", api, " (--listen): Address already in use")),
            std::string::npos);
  const std::string metrics =
      absl::StrCat("127.0.0.1:", program->PortAfter("metrics on 127.0.0.1:"));
  EXPECT_NE(SaysAndEnds({"--run-dir", other, "--state-dir", other, "--listen", "127.0.0.1:0",
                         "--metrics-listen", metrics},
                        1)
                .find(absl::StrCat("listen on ", metrics, " (--metrics-listen)")),
            std::string::npos);
}

TEST_F(MainTest, AnOpenAddressMustBeAskedForByName) {
  EXPECT_NE(SaysAndEnds({"--listen", "0.0.0.0:0"}, 2).find("--insecure-listen-any"),
            std::string::npos);
  const auto program = Start({"--insecure-listen-any"});
  EXPECT_TRUE(program->Serves()) << program->Log();
}

TEST_F(MainTest, TheCommandLineIsChecked) {
  EXPECT_EQ(SaysAndEnds({"--version"}, 0), absl::StrCat("wakegate-mgmt ", kVersion, "\n"));
  EXPECT_NE(SaysAndEnds({"--help"}, 0).find("--metrics-listen"), std::string::npos);
  EXPECT_NE(SaysAndEnds({"--lisen", "x"}, 2).find("--lisen"), std::string::npos);
  EXPECT_NE(SaysAndEnds({"--listen", "here"}, 2).find("--listen: \"here\" has no port"),
            std::string::npos);
  EXPECT_NE(SaysAndEnds({"--log-level", "loud"}, 2).find("loud"), std::string::npos);
  EXPECT_NE(SaysAndEnds({"--run-dir", "/proc/none"}, 1).find("make the folder /proc/none"),
            std::string::npos);
}

TEST_F(MainTest, ATornStateFileIsSaidInTheLogAndInTheStatus) {
  std::filesystem::create_directory(folder_.path() + "/state");
  std::ofstream(folder_.path() + "/state/config.json") << "{ torn";
  const auto program = Start();
  ASSERT_TRUE(program->Serves());
  EXPECT_NE(program->Log().find("put aside as "), std::string::npos);
  EXPECT_NE(GetStatus().stored_config_text().find("put aside as "), std::string::npos);
}

}  // namespace
}  // namespace wakegate
