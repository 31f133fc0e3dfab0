#include "dataplane/ports/ethdev/stale_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "dataplane/kernel/file_descriptor.h"

namespace wakegate {
namespace {

class StaleSocketTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  FileDescriptor Listen() const {
    FileDescriptor file(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(file.get(), 1), 0);
    return file;
  }
  std::string Devargs(const std::string& others) const {
    return absl::StrCat("net_memif0,", others, ",socket=", path_);
  }
  bool is_there() const { return std::filesystem::exists(path_); }

  const std::string path_ = absl::StrCat("/tmp/wakegate-stale-", getpid());
};

TEST_F(StaleSocketTest, OneOnWhichNobodyListensIsRemoved) {
  Listen() = FileDescriptor();
  ASSERT_TRUE(is_there());
  RemoveStaleSocket(Devargs("role=server,socket-abstract=no"));
  EXPECT_FALSE(is_there());
}

TEST_F(StaleSocketTest, OneInUseStays) {
  const FileDescriptor listener = Listen();
  RemoveStaleSocket(Devargs("role=server,socket-abstract=no"));
  EXPECT_TRUE(is_there());
}

TEST_F(StaleSocketTest, OneThatTheDeviceDoesNotListenOnStays) {
  Listen() = FileDescriptor();
  RemoveStaleSocket(Devargs("role=client,socket-abstract=no"));
  RemoveStaleSocket(Devargs("role=server"));
  RemoveStaleSocket(absl::StrCat("net_null0,role=server,socket-abstract=no,socket=", path_));
  EXPECT_TRUE(is_there());
}

TEST_F(StaleSocketTest, AnOrdinaryFileStays) {
  close(creat(path_.c_str(), 0600));
  RemoveStaleSocket(Devargs("role=server,socket-abstract=no"));
  EXPECT_TRUE(is_there());
}

}  // namespace
}  // namespace wakegate
