#include "mgmt/listen/listen_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <string>

namespace wakegate {
namespace {

std::string TextOf(const std::string& text) {
  const auto address = ListenAddress::Parse(text);
  return address.ok() ? address->text() : std::string(address.status().message());
}

TEST(ListenAddressTest, NumericAddressesAndLocalhostAreParsed) {
  EXPECT_EQ(TextOf("127.0.0.1:9470"), "127.0.0.1:9470");
  EXPECT_EQ(TextOf("localhost:0"), "127.0.0.1:0");
  EXPECT_EQ(TextOf("[::1]:9470"), "[::1]:9470");
}

TEST(ListenAddressTest, AnythingElseIsRefusedWithAnExample) {
  for (const char* text : {"", "9470", ":9470", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                           "127.0.0.1:-1", "127.0.0.1:http", "example.org:80", "::1:80",
                           "[127.0.0.1]:80", "unix:/tmp/x", "127.0.0.1,0.0.0.0:80"}) {
    const auto address = ListenAddress::Parse(text);
    EXPECT_TRUE(absl::IsInvalidArgument(address.status())) << text;
  }
  EXPECT_EQ(TextOf("127.0.0.1"),
            "\"127.0.0.1\" has no port; write it as 127.0.0.1:9470 or [::1]:9470");
}

TEST(ListenAddressTest, OnlyThisMachinesAddressesAreLoopback) {
  EXPECT_TRUE(ListenAddress::Parse("127.0.0.1:1")->IsLoopback());
  EXPECT_TRUE(ListenAddress::Parse("127.255.0.9:1")->IsLoopback());
  EXPECT_TRUE(ListenAddress::Parse("[::1]:1")->IsLoopback());
  EXPECT_FALSE(ListenAddress::Parse("0.0.0.0:1")->IsLoopback());
  EXPECT_FALSE(ListenAddress::Parse("[::]:1")->IsLoopback());
  EXPECT_FALSE(ListenAddress::Parse("10.0.0.1:1")->IsLoopback());
  EXPECT_FALSE(ListenAddress::Parse("[::ffff:127.0.0.1]:1")->IsLoopback());
}

TEST(ListenAddressTest, AnAddressThatIsTakenIsNamedWithItsFlag) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  ASSERT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string text = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));

  const absl::Status status = ListenAddress::Parse(text)->CheckFree("--listen");
  EXPECT_TRUE(absl::IsAlreadyExists(status));
  EXPECT_EQ(std::string(status.message()),
            "listen on " + text +
                " (--listen): Address already in use; stop the program that has it (ss -ltnp "
                "shows it) or give another --listen");
  close(fd);
  EXPECT_TRUE(ListenAddress::Parse(text)->CheckFree("--listen").ok());
}

}  // namespace
}  // namespace wakegate
