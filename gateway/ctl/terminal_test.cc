// The program itself on a terminal: `stats --watch` refreshes in place, and Ctrl-C ends it cleanly.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "gateway/ctl/fake_gateway_for_test.h"
#include "gateway/ctl/snapshots_for_test.h"

namespace wakegate {
namespace {

constexpr char kProgram[] = "gateway/ctl/wakegatectl";

// A program whose terminal is this object.
class ProgramOnTerminal {
 public:
  ProgramOnTerminal(const FakeGateway& gateway, unsigned short rows) {
    gateway.Synchronize();
    winsize size = {.ws_row = rows, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ == 0) {
      execl(kProgram, kProgram, "--address", gateway.address().c_str(), "stats", "--watch",
            nullptr);
      _exit(127);
    }
  }
  ~ProgramOnTerminal() { close(terminal_); }

  // All that it printed so far, once `text` is there or ten seconds have passed.
  const std::string& WaitFor(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (printed_.find(text) == std::string::npos && std::chrono::steady_clock::now() < end) {
      pollfd readable = {.fd = terminal_, .events = POLLIN, .revents = 0};
      if (poll(&readable, 1, 100) <= 0) continue;
      char buffer[4096];
      const ssize_t size = read(terminal_, buffer, sizeof(buffer));
      if (size <= 0) break;  // EIO: it has ended.
      printed_.append(buffer, size);
    }
    return printed_;
  }
  void PressCtrlC() { EXPECT_EQ(write(terminal_, "\x03", 1), 1); }
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    return status;
  }

 private:
  int terminal_ = -1;
  pid_t pid_ = -1;
  std::string printed_;
};

TEST(TerminalTest, CtrlCRestoresTheCursorAndEndsWithSuccess) {
  FakeGateway gateway;
  gateway.snapshots = {FirstSnapshot(), SecondSnapshot()};
  ProgramOnTerminal program(gateway, 50);
  const std::string shown = program.WaitFor("BOOKS");
  EXPECT_EQ(shown.find("\x1b[?1049h\x1b[?25l"), 0U) << shown;
  EXPECT_NE(shown.find("\x1b[HWakegate at "), std::string::npos) << shown;

  program.PressCtrlC();
  const std::string all = program.WaitFor("\x1b[?25h\x1b[?1049l");
  EXPECT_NE(all.find("\x1b[?25h\x1b[?1049l"), std::string::npos) << all;
  const int status = program.Wait();
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(TerminalTest, AnErrorLeavesTheTerminalAsItWas) {
  FakeGateway gateway;
  gateway.snapshots = {FirstSnapshot(), SecondSnapshot()};
  gateway.status = {grpc::StatusCode::INTERNAL, "the counters are no more"};
  ProgramOnTerminal program(gateway, 50);
  const std::string all = program.WaitFor("are no more");
  const std::size_t restored = all.find("\x1b[?25h\x1b[?1049l");
  EXPECT_NE(restored, std::string::npos) << all;
  EXPECT_GT(all.find("INTERNAL: the counters are no more"), restored) << all;
  EXPECT_EQ(WEXITSTATUS(program.Wait()), 1);
}

TEST(TerminalTest, ADataPlaneThatGoesAwayIsToldAboveTheLastFrame) {
  FakeGateway gateway;
  gateway.snapshots = {FirstSnapshot(), SecondSnapshot()};
  gateway.status = {grpc::StatusCode::UNAVAILABLE, "the data plane went away"};
  ProgramOnTerminal program(gateway, 50);
  const std::string all = program.WaitFor("went away");
  EXPECT_NE(all.find("\x1b[Hno counters, waiting for them: the data plane went away"),
            std::string::npos)
      << all;
  program.PressCtrlC();
  EXPECT_EQ(WEXITSTATUS(program.Wait()), 0);
}

TEST(TerminalTest, ASmallTerminalIsNotScrolled) {
  FakeGateway gateway;
  gateway.snapshots = {FirstSnapshot(), SecondSnapshot()};
  ProgramOnTerminal program(gateway, 10);
  EXPECT_NE(program.WaitFor("more lines").find("more lines"), std::string::npos);
  program.PressCtrlC();
  EXPECT_EQ(program.Wait(), 0);
}

}  // namespace
}  // namespace wakegate
