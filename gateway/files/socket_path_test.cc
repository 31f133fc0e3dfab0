#include "gateway/files/socket_path.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "gateway/files/temporary_folder.h"

namespace wakegate {
namespace {

class SocketPathTest : public testing::Test {
 protected:
  int Listen(int backlog) const {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(fd, backlog), 0);
    return fd;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/api.sock";
};

TEST_F(SocketPathTest, NothingThereIsFree) { EXPECT_TRUE(FreeSocketPath(path_).ok()); }

TEST_F(SocketPathTest, SocketOfAKilledProcessIsRemoved) {
  close(Listen(1));
  ASSERT_TRUE(std::filesystem::exists(path_));
  EXPECT_TRUE(FreeSocketPath(path_).ok());
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SocketPathTest, SocketOfALivingProcessIsLeftAlone) {
  const int fd = Listen(0);
  // The second time, the first try waits in the listener's full backlog.
  for (int i = 0; i < 3; ++i) {
    const absl::Status status = FreeSocketPath(path_);
    EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
    EXPECT_TRUE(std::filesystem::exists(path_));
  }
  close(fd);
}

TEST_F(SocketPathTest, FileIsLeftAlone) {
  std::ofstream(path_) << "precious";
  EXPECT_TRUE(absl::IsFailedPrecondition(FreeSocketPath(path_)));
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(SocketPathTest, TooLongAPathIsRefused) {
  const absl::Status status = FreeSocketPath("/tmp/" + std::string(200, 'x'));
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_NE(status.message().find("may have 107"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace wakegate
